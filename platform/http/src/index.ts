/** The HTTP server for all services, and its caller type. */
export { requireCaller, type Caller } from './caller.ts'
export { forgetBody, growBody } from './body-memory.ts'
export { allowOrigins } from './cors.ts'
export { createHttpServer, renderFailure, type HttpServerOptions } from './create-server.ts'
export { decodeLargeBodiesInTurn, passLargeBodiesInTurn } from './decode-in-turn.ts'
export { explainListen, findPort } from './find-port.ts'
export { logFailure } from './log-failure.ts'
export type { BodyTimeouts } from './slow-bodies.ts'
export {
  certifiedHost,
  endOfCertificate,
  followTlsFiles,
  readTlsIdentity,
  reminderOf,
  type TlsFiles,
  type TlsIdentity,
} from './tls.ts'
export { parseTrustProxy } from './trust-proxy.ts'
export { isUpgrade, takeUpgrade, type Upgrade } from './upgrades.ts'
export { limitAddresses } from './request-heads.ts'
