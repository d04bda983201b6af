/**
 * What a proxy costs at least: one as one would write it on bare Node, in a process of its own, before the Unix socket that the command line names. Prints its
 * address.
 */
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const socketPath = process.argv[2] ?? ''
const agent = new Agent({ keepAlive: true })

const server = createServer((asked, answered) => {
  const { method, url: path, rawHeaders: headers } = asked
  const upstream = request({ socketPath, agent, method, path, headers }, (answer) => {
    answered.writeHead(answer.statusCode ?? 500, answer.rawHeaders)
    answer.pipe(answered)
  })
  upstream.once('error', () => answered.destroy())
  asked.pipe(upstream)
})

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.on('SIGTERM', () => process.exit(0))
