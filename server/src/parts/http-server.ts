import type { Server } from 'node:https'
import { createHttpServer, followTlsFiles, readTlsIdentity, type parseTrustProxy } from '@holdfast/http'
import { tlsFilesOf } from '../config/base-url.ts'
import { closeGateway } from '../gateway/gateway.ts'
import type { PartContext } from './part-context.ts'

/** Creates the HTTP server, without routes. It opens before the services and closes after them, so that their last responses still reach clients. */
export function openHttpServer(
  { config, logger, requestLog, opened }: PartContext,
  trustProxy: ReturnType<typeof parseTrustProxy>,
): ReturnType<typeof createHttpServer> {
  const files = tlsFilesOf(config)
  const tls = files && readTlsIdentity(files)
  const app = createHttpServer({
    logger,
    requestLog,
    tls,
    trustProxy,
    bodyTimeouts: {
      silenceMs: config.requestBodySilenceSeconds * 1_000,
      rateMin: config.requestBodyRateMin,
      totalMs: config.requestBodySeconds * 1_000,
      slowPerAddressMax: config.slowBodiesPerAddressMax,
    },
    bodyMemoryBytesMax: config.requestBodyMemoryMax * 1024 * 1024,
  })
  opened.defer(() => closeGateway(app))
  if (files && tls) opened.defer(followTlsFiles(app.server as Server, files, tls, logger))
  return app
}
