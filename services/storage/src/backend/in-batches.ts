import { VERSIONS_BATCH } from '../limits.ts'
import type { ListedVersion } from './backend.ts'

/** Groups listed versions into batches, so that each batch is looked up with one statement. */
export async function* inBatches(versions: AsyncIterable<ListedVersion>): AsyncGenerator<readonly ListedVersion[]> {
  let batch: ListedVersion[] = []
  for await (const version of versions) {
    batch.push(version)
    if (batch.length < VERSIONS_BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
