import type { FastifyPluginAsync } from 'fastify'
import { requireCaller } from '@holdfast/http'
import { featureNotEnabled, roleRefused } from '../errors.ts'

/** Unsupported or disabled features, and routes that only respond. */
export function featureRoutes({
  hasImages,
  hasS3,
}: {
  readonly hasImages: boolean
  readonly hasS3: boolean
}): FastifyPluginAsync {
  return async (app) => {
    for (const [path, feature] of [
      ['/iceberg/*', 'iceberg_catalog'],
      ['/vector/*', 'vector_buckets'],
      ['/bucket/:bucket/lifecycle', 'bucket_lifecycle'],
      ...(hasImages ? [] : ([['/render/image/*', 'image_transformation']] as const)),
      ...(hasS3
        ? []
        : ([
            ['/s3', 's3_protocol'],
            ['/s3/*', 's3_protocol'],
          ] as const)),
    ] as const)
      app.all(path, { exposeHeadRoute: false }, async () => {
        throw featureNotEnabled(feature)
      })
    // There is no CDN to purge.
    for (const path of ['/cdn/:bucket/*', '/cdn/:bucket', '/cdn'])
      app.delete(path, async (request) => {
        if (requireCaller(request).role !== 'service_role') throw roleRefused()
        return { message: 'success' }
      })
    for (const path of ['/status', '/health', '/version'])
      app.get(path, { exposeHeadRoute: false }, async () => ({ healthy: true }))
  }
}
