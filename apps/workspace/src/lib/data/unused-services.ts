/**
 * Replaces the parts of supabase-js for REST and functions (`vite.config.ts`): the app reads and writes rows only locally. To use one, remove its alias there;
 * until then calls throw.
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

// Exports of supabase-js.
export class PostgrestError extends Error {}
export class FunctionsError extends Error {}
export class FunctionsFetchError extends FunctionsError {}
export class FunctionsHttpError extends FunctionsError {}
export class FunctionsRelayError extends FunctionsError {}
export const FunctionRegion = {}
