/**
 * The first module of every Deno process. It waits on stdin for the function that it is to serve, so that a process can be started before it is known which
 * one that is. Lines on stdin and stdout are JSON; those on stdout begin with a mark that only this module and the server know, since everything else on
 * stdout is what the function printed.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { format } from 'node:util'

const encoder = new TextEncoder()
const { exit, serve } = Deno
const stdout = Deno.stdout
const requests = new AsyncLocalStorage()
const requestId = (request) => request.headers.get('sb-request-id') ?? undefined

/** Messages from the server, one at a time. The process ends with its server: stdin is closed when that is gone. */
async function* readMessages() {
  const decoder = new TextDecoder()
  const chunk = new Uint8Array(65_536)
  let text = ''
  for (;;) {
    const count = await Deno.stdin.read(chunk)
    if (count === null) exit(0)
    text += decoder.decode(chunk.subarray(0, count), { stream: true })
    const lines = text.split('\n')
    text = lines.pop()
    for (const line of lines) yield JSON.parse(line)
  }
}

let mark = ''
function tell(message) {
  let bytes = encoder.encode(`${mark}${JSON.stringify(message)}\n`)
  while (bytes.length > 0) bytes = bytes.subarray(stdout.writeSync(bytes))
}

/** Characters of one message; `limits.ts` has the same. */
const LINE_CHARACTERS_MAX = 10_000

const LEVELS = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' }
for (const [name, level] of Object.entries(LEVELS)) {
  console[name] = (...values) =>
    tell({ kind: 'log', level, text: format(...values).slice(0, LINE_CHARACTERS_MAX), requestId: requests.getStore() })
}

// A request read through a Unix socket has an address of its own kind, which no function expects.
const { get: readUrl } = Object.getOwnPropertyDescriptor(Request.prototype, 'url')
Object.defineProperty(Request.prototype, 'url', {
  configurable: true,
  enumerable: true,
  get() {
    return readUrl.call(this).replace(/^http\+unix:/, 'http:')
  },
})

/** Where the caller is, as the gateway says: the connection itself is one of the gateway. */
function remoteOf(request) {
  const hostname = request.headers.get('x-forwarded-for')?.split(',')[0]?.trim() || '127.0.0.1'
  return { transport: 'tcp', hostname, port: 0 }
}

/** What the kernel refused to give for a buffer: the limit of the process, of which V8 knows nothing. */
function isOutOfMemory(error) {
  return error instanceof RangeError && error.message.includes('allocation failed')
}

/** `Deno.serve` in all its forms. The address is the server's choice (`DENO_SERVE_ADDRESS`). */
Deno.serve = (...parts) => {
  const options = parts.find((part) => typeof part === 'object' && part !== null) ?? {}
  const handler = parts.find((part) => typeof part === 'function') ?? options.handler
  if (typeof handler !== 'function') throw new TypeError('Deno.serve needs a handler')
  return serve({ onListen: () => tell({ kind: 'serving' }) }, (request, info) =>
    requests.run(requestId(request), async () => {
      try {
        return await handler(request, { remoteAddr: remoteOf(request), completed: info.completed })
      } catch (error) {
        if (isOutOfMemory(error)) {
          console.error(error)
          tell({ kind: 'full' })
          return await new Promise(() => undefined) // the server ends this process, and says why
        }
        if (options.onError) return options.onError(error)
        console.error(error)
        return new Response('Internal Server Error', { status: 500 })
      }
    }),
  )
}

let pending = 0
globalThis.EdgeRuntime = {
  /** Keeps the process until the promise has settled. */
  waitUntil(promise) {
    pending += 1
    if (pending === 1) tell({ kind: 'busy' })
    const settle = () => {
      pending -= 1
      if (pending === 0) tell({ kind: 'idle' })
    }
    Promise.resolve(promise).then(settle, (error) => {
      console.error('A promise given to EdgeRuntime.waitUntil was rejected:', error)
      settle()
    })
    return promise
  },
}
// A thread of its own has no room within the memory of a process, which would end with all requests. Packages look whether there are any.
delete globalThis.Worker
globalThis.Supabase = {
  ai: {
    Session: function Session() {
      throw new Error('Supabase.ai is not available in Holdfast')
    },
  },
}

/** Variables that Deno itself has read at its start, and that are not for functions. Which certificates it trusts it reads with the first connection. */
const FOR_DENO = /^(?:npm_config_.*|jsr_url|deno_(?!serve_address|tls_ca_store).*|no_color)$/i

/**
 * Loads the function. A module that is imported before it is evaluated when all modules of the function were found and compiled, so what fails after that was thrown by
 * the function itself.
 */
async function load({ entry, environment, folder }) {
  for (const name of Object.keys(Deno.env.toObject())) if (FOR_DENO.test(name)) Deno.env.delete(name)
  for (const [name, value] of Object.entries(environment)) Deno.env.set(name, value)
  let isEvaluated = false
  const signal = Symbol.for(mark)
  globalThis[signal] = () => {
    isEvaluated = true
    delete globalThis[signal]
  }
  Deno.writeTextFileSync(`${folder}/evaluated.js`, `globalThis[Symbol.for(${JSON.stringify(mark)})]?.()\n`)
  Deno.writeTextFileSync(
    `${folder}/start.js`,
    `import './evaluated.js'\nimport * as entry from ${JSON.stringify(entry)}\nexport { entry }\n`,
  )
  try {
    const { entry: exported } = await import(`file://${folder}/start.js`)
    const app = exported.default
    if (typeof app?.fetch === 'function') Deno.serve((request, info) => app.fetch(request, info))
    tell({ kind: 'loaded' })
  } catch (error) {
    tell({ kind: 'failed', isThrown: isEvaluated, text: String(error?.stack ?? error) })
  }
}

for await (const message of readMessages()) {
  switch (message.kind) {
    case 'hello':
      mark = message.mark
      tell({ kind: 'waiting' })
      break
    case 'load':
      void load(message)
      break
    case 'beat':
      tell({ kind: 'beat' })
      break
    case 'ping':
      tell({ kind: 'pong', id: message.id })
      break
    case 'unload':
      globalThis.dispatchEvent(new CustomEvent('beforeunload', { detail: { reason: message.reason } }))
      break
  }
}
