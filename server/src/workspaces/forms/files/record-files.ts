import type { FastifyInstance, InjectOptions } from 'fastify'
import type { RecordFiles } from './visitor-files.ts'

/**
 * Stores files of records over the server's own storage API, where limits and backends are those of every upload.
 *
 * @param serviceKey - visitors have no right in storage at all
 */
export function createRecordFiles(app: Pick<FastifyInstance, 'inject'>, serviceKey: string): RecordFiles {
  const send = async (request: InjectOptions, isExpected: (status: number) => boolean): Promise<void> => {
    const headers = { ...request.headers, apikey: serviceKey, authorization: `Bearer ${serviceKey}` }
    const { statusCode, body } = await app.inject({ ...request, headers })
    if (!isExpected(statusCode)) throw new Error(`Storage answered ${statusCode}: ${body.slice(0, 200)}`)
  }
  const urlOf = (path: string): string => `/storage/v1/object/record-files/${path}`
  return {
    store(path, { type, size, bytes }) {
      const headers = { 'content-type': type, 'content-length': String(size), 'x-upsert': 'true' }
      return send({ method: 'POST', url: urlOf(path), headers, payload: bytes }, (status) => status === 200)
    },
    remove: (path) => send({ method: 'DELETE', url: urlOf(path) }, (status) => status < 500),
  }
}
