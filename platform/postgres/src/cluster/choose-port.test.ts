import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { choosePort } from './choose-port.ts'

let server: Server
let passing: Socket
/** Port of a listener, and the ephemeral port of a connection to it. */
let ports: { readonly listened: number; readonly passing: number }

beforeEach(async () => {
  server = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  passing = connect({ host: '127.0.0.1', port }).on('error', () => undefined)
  await new Promise((resolve) => passing.once('connect', resolve))
  ports = { listened: port, passing: passing.localPort ?? 0 }
})
afterEach(() => {
  passing.resetAndDestroy()
  server.close()
})

test('Postgres waits for a port that a passing connection has', async () => {
  let isHeld = true
  const chosen = choosePort(ports.passing).then((port) => [port, isHeld])
  setTimeout(() => {
    isHeld = false
    passing.resetAndDestroy()
  }, 300)
  expect(await chosen).toEqual([ports.passing, false])
})

test('a port that a connection keeps is refused with what has it, and one that is listened on as ever', async () => {
  await expect(choosePort(ports.passing)).rejects.toMatchObject({
    code: 'postgres_port_busy',
    message: `Port ${ports.passing} for Postgres is in use by a connection of another program.`,
  })
  await expect(choosePort(ports.listened)).rejects.toMatchObject({
    code: 'postgres_port_busy',
    message: `Port ${ports.listened} for Postgres is already in use.`,
  })
})
