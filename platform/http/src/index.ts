/** The HTTP server that everything is served by, and who asks. */
export { requireCaller, type Caller } from './caller.ts'
export { allowAnyOrigin } from './cors.ts'
export { createHttpServer, renderFailure, type HttpServerOptions } from './create-server.ts'
export { explainListen, findPort } from './find-port.ts'
export { logFailure } from './log-failure.ts'
export type { BodyPatience } from './slow-bodies.ts'
export { parseTrustProxy } from './trust-proxy.ts'
