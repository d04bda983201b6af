import { readJson, type KeyValueStore } from '../key-value.ts'

/** What became of the database of a person whose file was damaged. */
export interface DamageReport {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** Operations of the outbox that were taken over. They are sent as if nothing had happened. */
  readonly kept: number
  /** Everything that is nowhere else could be read. `false`: changes or files that were not sent may be lost. */
  readonly isWhole: boolean
  /** The damaged file, which is kept while something of it could not be read. */
  readonly fileName: string | undefined
}

/** Which file is a person's database. */
interface LocalFile {
  /** How often another file has taken its place. */
  readonly generation: number
  /** The file is damaged: another one has to take its place. */
  readonly isDamaged?: boolean
  readonly report?: DamageReport
}

const FIRST: LocalFile = { generation: 0 }
const keyOf = (userId: string): string => `holdfast-file-${userId}`

export async function readLocalFile(store: KeyValueStore, userId: string): Promise<LocalFile> {
  return (await readJson<LocalFile>(store, keyOf(userId))) ?? FIRST
}

export function fileNameOf(userId: string, { generation }: Pick<LocalFile, 'generation'>): string {
  return generation === 0 ? `holdfast-${userId}.db` : `holdfast-${userId}-${generation}.db`
}

export async function isMarked(store: KeyValueStore, userId: string, fileName: string): Promise<boolean> {
  const file = await readLocalFile(store, userId)
  return file.isDamaged === true && fileNameOf(userId, file) === fileName
}

export async function markDamaged(store: KeyValueStore, userId: string, fileName: string): Promise<void> {
  const file = await readLocalFile(store, userId)
  if (fileNameOf(userId, file) === fileName) await write(store, userId, { ...file, isDamaged: true })
}

export async function takeNextFile(
  store: KeyValueStore,
  userId: string,
  generation: number,
  report: DamageReport,
): Promise<void> {
  await write(store, userId, { generation, report })
}

export async function forgetReport(store: KeyValueStore, userId: string): Promise<void> {
  const { report: _, ...file } = await readLocalFile(store, userId)
  await write(store, userId, file)
}

export async function forgetLocalFile(store: KeyValueStore, userId: string): Promise<void> {
  await store.removeItem(keyOf(userId))
}

/** The next database of the user gets a name that none before has had. */
export async function skipGenerations(store: KeyValueStore, userId: string, generation: number): Promise<void> {
  await write(store, userId, { generation: generation + 1 })
}

async function write(store: KeyValueStore, userId: string, file: LocalFile): Promise<void> {
  await store.setItem(keyOf(userId), JSON.stringify(file))
}
