/**
 * In place of the parts of supabase-js that talk to the REST API and to functions (`vite.config.ts`): the app reads and
 * writes rows in the local database only. Whoever needs one of them removes its line there; until then calling it throws.
 */
function leftOut(): never {
  throw new Error('This part of supabase-js is not in the app: see unused-services.ts')
}

export class PostgrestClient {
  from = leftOut
  schema = leftOut
  rpc = leftOut
  getOpenApiSpec = leftOut
}

export class FunctionsClient {
  setAuth = leftOut
  invoke = leftOut
}

// What supabase-js exports of them.
export class PostgrestError extends Error {}
export class FunctionsError extends Error {}
export class FunctionsFetchError extends FunctionsError {}
export class FunctionsHttpError extends FunctionsError {}
export class FunctionsRelayError extends FunctionsError {}
export const FunctionRegion = {}
