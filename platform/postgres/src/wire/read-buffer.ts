import { Socket } from 'node:net'

/** Bytes read from a connection at once. */
export const READ_BYTES = 256 * 1024

/** Receives what was read. The bytes are void after the call when they stand in the buffer of a connection. */
type ChunkReader = (chunk: Buffer) => void

/** Of sockets that read into a buffer of their own, who reads their bytes, once it is not the driver. */
const readers = new WeakMap<Socket, { read: ChunkReader }>()

/**
 * A connection for the driver that reads into one buffer again and again. Node makes memory of 64 KB for every read otherwise: where hundreds of megabytes pass,
 * giving it back is a third of the work.
 *
 * @param ssl - as the driver has it: encrypted bytes are read by another socket, on top of this
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

/** From now on `read` gets what arrives, instead of who was listening. */
export function readChunks(socket: Socket, read: ChunkReader): void {
  const reader = readers.get(socket)
  if (reader) {
    reader.read = read
    return
  }
  socket.removeAllListeners('data')
  socket.on('data', read)
}
