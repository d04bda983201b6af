import { serveClusters } from './serve-clusters.ts'
import { CLUSTERS_VARIABLE } from './test-cluster.ts'

/** Before the tests of a project that needs Postgres. All projects of a run have the same ones. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[CLUSTERS_VARIABLE] !== undefined) return undefined
  const clusters = await serveClusters()
  process.env[CLUSTERS_VARIABLE] = clusters.url
  return async () => await clusters[Symbol.asyncDispose]()
}
