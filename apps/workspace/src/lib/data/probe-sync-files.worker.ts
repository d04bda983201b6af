/** A handle type that exists only in workers and is missing from TypeScript's window library. */
interface SyncFileHandle extends FileSystemFileHandle {
  createSyncAccessHandle?: () => Promise<{ close: () => void }>
}

/** First that it runs, then the result. */
export type ProbeMessage = 'begun' | boolean

const tell = (message: ProbeMessage): void => postMessage(message)

/** Tests whether a private file can be opened synchronously, then removes it. */
async function probe(): Promise<boolean> {
  const name = `.hf-probe-${crypto.randomUUID()}`
  const directory = await navigator.storage.getDirectory()
  const file: SyncFileHandle = await directory.getFileHandle(name, { create: true })
  try {
    const handle = await file.createSyncAccessHandle?.()
    handle?.close()
    return handle !== undefined
  } finally {
    await directory.removeEntry(name)
  }
}

tell('begun')
probe().then(tell, () => tell(false))
