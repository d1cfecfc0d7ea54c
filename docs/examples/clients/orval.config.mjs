const { LAND_LOOKUP_URL: url = 'http://127.0.0.1:8080' } = process.env;

export default {
  landLookup: {
    input: `${url}/openapi.json`,
    output: { target: 'generated/orval.ts', client: 'fetch', baseUrl: url },
  },
};
