/** How the test files learn where the Postgres of their worker is. */
export const CLUSTERS_VARIABLE = 'HOLDFAST_TEST_CLUSTERS'

export const TEMPLATE_DATABASE = 'holdfast_template'

/** Addresses of a Postgres that test files have to themselves while they run. */
export interface ClusterUrls {
  /** As the superuser. */
  readonly internalUrl: string
  /** As `postgres`, which projects act as. */
  readonly adminUrl: string
  /** As `authenticator`. */
  readonly requestUrl: string
}

/** The same server and user, another database. */
export function withDatabase(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

/** The Postgres of this worker, by its number; asked for once. */
const asked = new Map<string, Promise<ClusterUrls>>()

/**
 * The Postgres of the worker that this file runs in; the first call starts it.
 *
 * @throws outside the projects of `vitest.config.ts` that have one, and when it did not start
 */
export function clusterOfWorker(): Promise<ClusterUrls> {
  const clusters = process.env[CLUSTERS_VARIABLE]
  if (!clusters) throw new Error('no Postgres for tests: run this file in the vitest project "pg"')
  const url = `${clusters}${process.env['VITEST_POOL_ID'] ?? '1'}`
  let cluster = asked.get(url)
  if (!cluster) asked.set(url, (cluster = askFor(url)))
  return cluster
}

async function askFor(url: string): Promise<ClusterUrls> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`the Postgres of this worker did not start: ${await response.text()}`)
  return (await response.json()) as ClusterUrls
}
