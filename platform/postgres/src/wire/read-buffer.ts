import { Socket } from 'node:net'

/** Bytes per read of a connection. */
export const READ_BYTES = 256 * 1024

/** Receives read bytes. They are invalid after the call if they are in the connection's buffer. */
type ChunkReader = (chunk: Buffer) => void

/** Readers of sockets with their own buffer, other than the driver. */
const readers = new WeakMap<Socket, { read: ChunkReader }>()

/**
 * A driver socket that reuses one read buffer. Otherwise Node allocates 64 KB per read, and for hundreds of megabytes garbage collection is a third of the
 * work.
 *
 * @param ssl - as for the driver: encrypted bytes are read by another socket on top
 */
export function bufferedSocket({ ssl }: { readonly ssl?: unknown } = {}): Socket {
  if (ssl) return new Socket()
  // The driver keeps parts of what it reads.
  const reader = { read: (chunk: Buffer): unknown => socket.emit('data', Buffer.from(chunk)) }
  const socket: Socket = new Socket({
    onread: {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback(bytes, buffer) {
        reader.read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
        return true
      },
    },
  })
  readers.set(socket, reader)
  return socket
}

/** Passes arriving data to `read` instead of the previous listener. */
export function readChunks(socket: Socket, read: ChunkReader): void {
  const reader = readers.get(socket)
  if (reader) {
    reader.read = read
    return
  }
  socket.removeAllListeners('data')
  socket.on('data', read)
}
