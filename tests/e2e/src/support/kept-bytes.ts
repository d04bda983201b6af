import type { Page } from '@playwright/test'

/** Where a browser keeps a text for the site of a page: names of private files, databases, caches and entries that have it. */
export function placesWith(page: Page, marker: string): Promise<readonly string[]> {
  return page.evaluate(async (marker) => {
    const found: string[] = []
    /** In UTF-8, and in UTF-16 as JavaScript's own stores may keep it. */
    const has = (bytes: ArrayBuffer): boolean =>
      ['utf-8', 'utf-16le'].some((encoding) => new TextDecoder(encoding).decode(bytes).includes(marker))

    async function lookIntoFiles(folder: FileSystemDirectoryHandle, path: string): Promise<void> {
      for await (const handle of folder.values()) {
        const name = `${path}/${handle.name}`
        if (handle.kind === 'directory') await lookIntoFiles(handle as FileSystemDirectoryHandle, name)
        else if (has(await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer())) found.push(`file ${name}`)
      }
    }
    async function lookIntoDatabase(name: string): Promise<void> {
      const { promise: opened, resolve, reject } = Promise.withResolvers<IDBDatabase>()
      const opening = indexedDB.open(name)
      opening.addEventListener('success', () => resolve(opening.result))
      opening.addEventListener('error', () => reject(opening.error ?? new Error(name)))
      const database = await opened
      for (const store of database.objectStoreNames) {
        const request = database.transaction(store).objectStore(store).getAll()
        const values = await new Promise<unknown[]>((resolve, reject) => {
          request.addEventListener('success', () => resolve(request.result))
          request.addEventListener('error', () => reject(request.error ?? new Error(store)))
        })
        const texts = values.map((value) =>
          JSON.stringify(value, (_, part: unknown) =>
            part instanceof ArrayBuffer || ArrayBuffer.isView(part) ? new TextDecoder().decode(part) : part,
          ),
        )
        if (texts.some((text) => text?.includes(marker))) found.push(`database ${name}/${store}`)
      }
      database.close()
    }

    await lookIntoFiles(await navigator.storage.getDirectory(), '')
    for (const { name } of await indexedDB.databases()) if (name !== undefined) await lookIntoDatabase(name)
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) {
        const body = await (await cache.match(request))?.arrayBuffer()
        if (request.url.includes(marker) || (body && has(body))) found.push(`cache ${name} ${request.url}`)
      }
    }
    for (const [kind, area] of Object.entries({ localStorage, sessionStorage })) {
      for (const [key, value] of Object.entries(area)) {
        if (`${key} ${String(value)}`.includes(marker)) found.push(`${kind} ${key}`)
      }
    }
    return found
  }, marker)
}
