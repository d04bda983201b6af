import { serveClusters } from './serve-clusters.ts'
import { CLUSTERS_VARIABLE } from './test-cluster.ts'

/** Runs before the tests of projects that need Postgres. Shared by all projects of a run. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[CLUSTERS_VARIABLE] !== undefined) return undefined
  const clusters = await serveClusters()
  process.env[CLUSTERS_VARIABLE] = clusters.url
  return async () => await clusters[Symbol.asyncDispose]()
}
