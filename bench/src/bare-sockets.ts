/** A WebSocket server that hands each message on to the other members of its room, and does nothing else: what broadcasts are compared with. Run as a process. */
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

const rooms = new Map<string, Set<WebSocket>>()
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })

server.on('connection', (socket) => {
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) {
      const name = data.toString()
      const members = rooms.get(name) ?? new Set()
      rooms.set(name, members.add(socket))
      socket.send(name)
      return
    }
    // A message is one byte with the length of the room's name, the name, and the payload.
    const name = data.toString('utf8', 1, 1 + (data[0] ?? 0))
    for (const member of rooms.get(name) ?? []) if (member !== socket) member.send(data, { binary: true })
  })
})
server.on('listening', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
