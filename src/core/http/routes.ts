import type { Schema } from '../../schema.ts';
import { lookupPaths } from './lookup-paths.ts';
import type { RequestHandler } from 'express';
import type { Tag } from '../openapi/document.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** What a feature brings to the HTTP side of a service. */
export interface RoutedFeature {
  /** Routes that the document of the API describes. They are there as long as the feature is. */
  readonly routes?: readonly Route[];
  /** Routes that depend on what is open, and that the document does not describe, such as pages. */
  readonly pages?: (services: Services) => readonly Route[];
  /** Files that its pages load. */
  readonly folders?: (services: Services) => readonly Folder[];
  /** Components of the document of the API beside those of the routes. */
  readonly schemas?: Schema;
  /** Requests that others get from this service, for the document of the API. */
  readonly webhooks?: Schema;
  /** What its operations belong to in the document of the API. */
  readonly tags?: readonly Tag[];
  /** What `/llms.txt` says of it. */
  readonly about?: (services: Services) => AboutFeature;
}

/** Files below a path, which have no routes of their own. */
export interface Folder {
  readonly path: string;
  /** Sets the headers of each. */
  readonly headers: RequestHandler;
  readonly serve: RequestHandler;
}

export interface AboutFeature {
  /** A sentence about what a key may do. */
  readonly limits?: string;
  /** A section of its own, in Markdown. */
  readonly section?: string;
}

/** The routes of features that the document of the API describes. */
export function routesOf(features: readonly RoutedFeature[]): readonly Route[] {
  return features.flatMap(({ routes }) => routes ?? []);
}

/** Paths of lookups, and of what looks up too: their requests are refused for load before they are read. */
export function refusablePaths(features: readonly RoutedFeature[]): readonly string[] {
  const posts = routesOf(features).filter(({ method, isLookup }) => method === 'post' && isLookup);
  return [...lookupPaths, ...posts.map(({ path }) => path)];
}
