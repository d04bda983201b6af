import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

const VERSION = 1
const NODE_BYTES = 16
const NUMBER_BYTES = 6
const HEAD_BYTES = 1 + NODE_BYTES + NUMBER_BYTES
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Bytes of a frame beside its content. */
export const FRAME_OVERHEAD_BYTES = HEAD_BYTES + TAG_BYTES

/** Node keys kept; each process of a database has one. */
const KEYS_MAX = 1_000

/** A frame from a node with the key. */
export interface OpenedFrame {
  readonly node: string
  /** Counts the frames of its node from 1. */
  readonly number: number
  readonly content: Buffer
}

/**
 * Encrypts and authenticates frames between nodes (AES-256-GCM), because database roles and other NATS clients can read and send on the same channel. Each node
 * has a key derived from its random name, so frame numbers serve as nonces.
 */
export class FrameCipher {
  readonly #secret: Buffer
  readonly #node = randomBytes(NODE_BYTES)
  readonly #keys = new Map<string, Buffer>()
  #sent = 0

  /** @param secret - shared by the nodes */
  constructor(secret: Buffer) {
    this.#secret = secret
  }

  /** Name of this node, new with each start. */
  get node(): string {
    return this.#node.toString('hex')
  }

  /** Seals the next frame. A frame that is not sent shows as a gap in the numbers. */
  seal(content: Uint8Array): Buffer {
    const head = Buffer.alloc(HEAD_BYTES)
    head[0] = VERSION
    this.#node.copy(head, 1)
    head.writeUIntBE(++this.#sent, 1 + NODE_BYTES, NUMBER_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#keyOf(this.node), nonceOf(head))
    cipher.setAAD(head)
    return Buffer.concat([head, cipher.update(content), cipher.final(), cipher.getAuthTag()])
  }

  /** @returns `undefined` for frames of this node, of another version, and those sealed with another key */
  open(frame: Buffer): OpenedFrame | undefined {
    if (frame.length < FRAME_OVERHEAD_BYTES || frame[0] !== VERSION) return undefined
    const head = frame.subarray(0, HEAD_BYTES)
    const name = head.subarray(1, 1 + NODE_BYTES)
    if (name.equals(this.#node)) return undefined
    const node = name.toString('hex')
    const decipher = createDecipheriv('aes-256-gcm', this.#keyOf(node), nonceOf(head))
    decipher.setAAD(head)
    decipher.setAuthTag(frame.subarray(frame.length - TAG_BYTES))
    try {
      const text = decipher.update(frame.subarray(HEAD_BYTES, frame.length - TAG_BYTES))
      const content = Buffer.concat([text, decipher.final()])
      return { node, number: head.readUIntBE(1 + NODE_BYTES, NUMBER_BYTES), content }
    } catch {
      return undefined // forged, or of another database
    }
  }

  #keyOf(node: string): Buffer {
    const known = this.#keys.get(node)
    if (known) return known
    if (this.#keys.size >= KEYS_MAX) this.#keys.clear()
    const key = createHmac('sha256', this.#secret).update(`holdfast bus ${node}`).digest()
    this.#keys.set(node, key)
    return key
  }
}

function nonceOf(head: Buffer): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  head.copy(nonce, NONCE_BYTES - NUMBER_BYTES, HEAD_BYTES - NUMBER_BYTES)
  return nonce
}
