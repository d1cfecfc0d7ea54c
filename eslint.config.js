import js from '@eslint/js';
import ts from 'typescript-eslint';

const gdalOnlyInWorkers = {
  name: 'gdal-async',
  message: 'Only workers/ opens data files: hand the work to the pool (architecture, section 2).',
};

const noResultLayers = {
  selector: "CallExpression[callee.property.name='executeSQL']",
  message:
    'The garbage collector waits for ever when it finds a result of executeSQL while its dataset is at work (decision 0002).',
};

const onlyOutbound = {
  name: 'fetch',
  message: 'src/outbound has the one client for servers outside (decision 0047); a worker makes no requests.',
};

export default ts.config(
  { ignores: ['.nginx/', '.node/', 'docs/examples/', 'dist/', 'data/', 'node_modules/', 'web/vendor/'] },
  js.configs.recommended,
  ...ts.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js', 'test/support/drivers/*.mjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'no-console': 'error',
      complexity: ['error', 12],
      'max-depth': ['error', 3],
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'src/config.ts alone reads the environment.' },
      ],
      'no-restricted-imports': ['error', { paths: [gdalOnlyInWorkers] }],
    },
  },
  {
    files: ['src/**'],
    rules: {
      'no-restricted-globals': ['error', onlyOutbound],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-imports': [
        'error',
        {
          paths: [gdalOnlyInWorkers],
        },
      ],
    },
  },
  {
    files: ['workers/**'],
    rules: {
      'no-restricted-globals': ['error', onlyOutbound],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-imports': [
        'error',
        {
          paths: ['express', 'undici', 'ioredis', 'winston', 'rate-limiter-flexible'].map((name) => ({
            name,
            message: 'A worker never speaks HTTP, Redis or logs.',
          })),
        },
      ],
      'no-restricted-syntax': ['error', noResultLayers],
    },
  },
  { files: ['src/config.ts'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['src/commands/**'], rules: { 'no-console': 'off' } },
  {
    files: ['test/**'],
    rules: {
      'no-console': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
  { files: ['**/*.js', '**/*.mjs'], ...ts.configs.disableTypeChecked },
  // The compiler knows the browser's names (web/tsconfig.json).
  { files: ['web/**'], rules: { 'no-undef': 'off' } },
);
