/** PostgREST's dialect: a URL and headers become one statement under row-level security, which returns JSON. */
export { openRest, type RestService } from './rest.ts'
export { exposedSchemasOf } from './config/config.ts'
export { restOptions, type RestOptions } from './options.ts'
