import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A registry of npm packages, one of JSR packages, and a host of modules, all on the loopback. */
export interface PackageServer extends AsyncDisposable {
  readonly url: string
  /** Variables for a server whose functions are to use it. */
  readonly environment: Readonly<Record<string, string>>
  /** Addresses that were asked for, in order. */
  readonly asked: readonly string[]
}

const NODE_MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

/**
 * Serves the npm packages that this repository has installed, made into archives when they are asked for, and what is given.
 *
 * @param modules - text by path; `@scope/name` of a JSR package has its only module at `/@scope/name/1.0.0/mod.ts`
 */
export async function openPackageServer(modules: Readonly<Record<string, string>> = {}): Promise<PackageServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/')
    asked.push(path)
    find(path, `http://${request.headers.host}`, modules).then(
      (found) => {
        if (!found) response.writeHead(404).end()
        else response.writeHead(200, { 'content-type': found.type }).end(found.body)
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    environment: { NPM_CONFIG_REGISTRY: `${url}/`, JSR_URL: `${url}/`, NO_PROXY: '127.0.0.1' },
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Found {
  readonly type: string
  readonly body: string | Buffer
}

async function find(path: string, base: string, modules: Readonly<Record<string, string>>): Promise<Found | undefined> {
  const text = modules[path]
  if (text !== undefined) return { type: 'application/typescript', body: text }
  const jsr = /^\/(@[^/]+\/[^/]+)\/(?:meta|1\.0\.0_meta)\.json$/.exec(path)?.[1]
  if (jsr !== undefined) return findJsr(path, jsr, modules)
  const archive = /^\/archives\/(.+)\.tgz$/.exec(path)?.[1]
  const name = archive ?? path.slice(1)
  if (!/^(?:@[\w.-]+\/)?[\w.-]+$/.test(name) || !existsSync(`${NODE_MODULES}${name}/package.json`)) return undefined
  const packed = await pack(name)
  return archive === undefined
    ? { type: 'application/json', body: describe(name, packed, base) }
    : { type: 'application/octet-stream', body: packed }
}

function findJsr(path: string, name: string, modules: Readonly<Record<string, string>>): Found | undefined {
  const module = modules[`/${name}/1.0.0/mod.ts`]
  if (module === undefined) return undefined
  const manifest = {
    '/mod.ts': {
      size: Buffer.byteLength(module),
      checksum: `sha256-${createHash('sha256').update(module).digest('hex')}`,
    },
  }
  const body = path.endsWith('/meta.json')
    ? { scope: name.split('/')[0]?.slice(1), name: name.split('/')[1], latest: '1.0.0', versions: { '1.0.0': {} } }
    : { manifest, exports: { '.': './mod.ts' } }
  return { type: 'application/json', body: JSON.stringify(body) }
}

/** What a registry says about a package that has one version. */
function describe(name: string, packed: Buffer, base: string): string {
  const content = JSON.parse(readFileSync(`${NODE_MODULES}${name}/package.json`, 'utf8')) as { version: string }
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`
  const dist = { tarball: `${base}/archives/${name}.tgz`, integrity }
  return JSON.stringify({
    name,
    'dist-tags': { latest: content.version },
    versions: { [content.version]: { ...content, dist } },
  })
}

const archives = new Map<string, Promise<Buffer>>()

function pack(name: string): Promise<Buffer> {
  const known = archives.get(name)
  if (known) return known
  const args = [
    '--create',
    '--gzip',
    '--file=-',
    '--transform=s,^\\.,package,',
    `--directory=${NODE_MODULES}${name}`,
    '.',
  ]
  const packed = promisify(execFile)('tar', args, { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 })
  const made = packed.then(({ stdout }) => stdout)
  archives.set(name, made)
  return made
}
