import type { Schema } from '../../schema.ts';
import type { RequestHandler } from 'express';
import type { BroughtLookup } from '../openapi/lookup-operations.ts';
import type { AnswerMember } from './answer-members.ts';
import type { Maps } from './lookup-request.ts';
import { ownLookupRoutes, type LookupRoute } from './lookup-route.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** What a feature brings to the HTTP side of a service. */
export interface RoutedFeature {
  /** Ways to ask for a lookup beside an address and a point. */
  readonly lookups?: readonly (LookupRoute & BroughtLookup)[];
  /** What lookups give for maps beside their answers. */
  readonly maps?: Maps;
  /** Members that it adds to the answers of lookups, for those who ask for them. */
  readonly members?: readonly AnswerMember[];
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
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
  /** Documents for clients, which are pages below `/docs/` as long as the feature is there: `batches` is `docs/batches.md`. */
  readonly guides?: readonly string[];
  /** What `/docs`, `/llms.txt` and `/sitemap.xml` say of it. */
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
  /** What it looks up, as in "land data for a parcel". */
  readonly noun?: string;
  /** A sentence about what a key may do. */
  readonly limits?: string;
  /** Paths of its pages for search engines. */
  readonly forSearch?: readonly string[];
  /** Page on which visitors get a key by themselves. */
  readonly keysAt?: string;
  /** A section of its own, in Markdown. */
  readonly section?: string;
}

/** The routes of features that the document of the API describes. */
export function routesOf(features: readonly RoutedFeature[]): readonly Route[] {
  return features.flatMap(({ routes }) => routes ?? []);
}

/** All ways to ask for a lookup. */
export function lookupsOf(features: readonly RoutedFeature[]): readonly LookupRoute[] {
  return [...ownLookupRoutes, ...features.flatMap(({ lookups }) => lookups ?? [])];
}

/** Paths of lookups, and of what looks up too. */
export function refusablePaths(features: readonly RoutedFeature[]): readonly {
  readonly path: string;
  readonly isCostly?: boolean;
}[] {
  const posts = routesOf(features).filter(({ method, isLookup }) => method === 'post' && isLookup);
  return [...lookupsOf(features), ...posts.map(({ path }) => ({ path }))];
}
