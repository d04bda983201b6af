/**
 * The reference for the server's files: a static file server as one would write it on bare Node, in a process of its own. It checks no rights, writes nothing
 * down beside the bytes, and waits for no disk. Prints its address.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-plain-files-'))

const server = createServer((request, response) => {
  const path = join(folder, encodeURIComponent(request.url ?? ''))
  const answer = async (): Promise<void> => {
    if (request.method === 'GET') {
      const { size } = await stat(path)
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': String(size) })
      await pipeline(createReadStream(path), response)
    } else {
      await pipeline(request, createWriteStream(path))
      response.writeHead(200, { 'content-length': '2' }).end('{}')
    }
  }
  answer().catch(() => response.destroy())
})

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.on('SIGTERM', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
})
