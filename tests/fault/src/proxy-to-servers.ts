import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Paths that only the server which reads the changes can serve. */
const OF_THE_LEADER = ['/sync/stream', '/write-checkpoint2.json']

/** One address for several servers of a deployment, as the guide has it: requests go round, and those for sync go to the next server after a 503. */
export interface ProxyToServers extends AsyncDisposable {
  readonly url: string
  /** Sends requests to these from now on. */
  use(servers: readonly string[]): void
}

export async function openProxyToServers(first: readonly string[]): Promise<ProxyToServers> {
  let servers = first
  let turn = 0
  const agent = new Agent({ keepAlive: false })

  /** Sends a request to one server. @returns `undefined` when it cannot be reached */
  function ask(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    server: string,
    to: ServerResponse,
  ): Promise<IncomingMessage | undefined> {
    return new Promise((resolve) => {
      const sent = request(new URL(url ?? '/', server), { method, headers, agent }, resolve)
      sent.on('error', () => resolve(undefined))
      to.on('close', () => sent.destroy())
      sent.end(body)
    })
  }

  async function pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of from as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const isOfLeader = OF_THE_LEADER.includes(new URL(from.url ?? '/', 'http://any').pathname)
    const begin = ++turn
    const order = servers.map((_, index) => servers[(begin + index) % servers.length] as string)
    for (const [index, server] of order.entries()) {
      const answer = await ask(from, body, server, to)
      const isLast = index === order.length - 1
      if (!isLast && (answer === undefined || (isOfLeader && answer.statusCode === 503))) {
        answer?.resume()
        continue
      }
      if (!answer) return void to.destroy()
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => to.destroy())
      answer.on('close', () => (answer.complete ? to.end() : to.destroy()))
      to.flushHeaders()
      answer.pipe(to, { end: false })
      return
    }
    to.destroy()
  }

  const proxy = createServer((from, to) => {
    from.socket.setNoDelay(true)
    to.on('error', () => undefined) // the client has gone
    pass(from, to).catch(() => to.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    use(next) {
      servers = next
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
