/** PostgREST's dialect: an address and headers in, one statement under row-level security, JSON out. */
export { openRest, type OpenRestOptions, type RestService } from './rest.ts'
export { exposedSchemasOf } from './config/config.ts'
export { restOptions, type RestOptions } from './options.ts'
