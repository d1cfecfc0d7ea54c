/** An ArcGIS-compatible server that is not this project's: Koop. */
import FeatureServer from '@koopjs/featureserver';
import express from 'express';
import type { AddressInfo } from 'node:net';

/** A layer of a service. */
export interface KoopLayer {
  /** `LIO_OPEN_DATA/LIO_Open05/MapServer`. */
  readonly service: string;
  readonly metadata: {
    readonly id: number;
    readonly name: string;
    readonly idField: string;
    readonly geometryType: 'Polygon' | 'LineString' | 'Point' | 'MultiPolygon';
    readonly maxRecordCount?: number;
  };
  readonly features: readonly {
    readonly type: 'Feature';
    readonly properties: Readonly<Record<string, string | number | null>>;
    readonly geometry: object | null;
  }[];
}

export interface KoopServer extends AsyncDisposable {
  /** Root of the services. */
  readonly url: string;
}

export async function startKoop(layers: readonly KoopLayer[]): Promise<KoopServer> {
  const app = express();
  app.use(express.urlencoded({ extended: true, limit: '1mb' }), express.json());
  const collections = layers.map(({ service, ...layer }) => ({
    service,
    layer: { type: 'FeatureCollection', ...layer },
  }));
  for (const path of new Set(layers.map(({ service }) => service)))
    app.all(`/rest/services/${path}`, (request, response) => {
      const own = collections.filter(({ service }) => service === path).map(({ layer }) => layer);
      FeatureServer.serverInfo(request, response, { layers: own });
    });
  for (const { service, layer } of collections) {
    const path = `/rest/services/${service}/${layer.metadata.id}`;
    app.all(path, (request, response) => {
      FeatureServer.layerInfo(request, response, layer);
    });
    app.all(`${path}/query`, (request, response) => {
      FeatureServer.query(request, response, structuredClone(layer));
    });
  }
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rest/services`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
