import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { AwsCrc32c } from '@aws-crypto/crc32c'
import { Crc64Nvme } from '@aws-sdk/crc64-nvme'

/** Incremental checksum. */
export interface Checksum {
  update(bytes: Uint8Array): void
  digest(): Promise<Buffer>
}

/** Algorithms of `x-amz-checksum-…` headers and trailers, with digest sizes in bytes. */
const CHECKSUMS: Readonly<Record<string, { readonly bytes: number; readonly create: () => Checksum }>> = {
  crc32: { bytes: 4, create: createCrc32 },
  crc32c: { bytes: 4, create: () => wrap(new AwsCrc32c()) },
  crc64nvme: { bytes: 8, create: () => wrap(new Crc64Nvme()) },
  sha1: { bytes: 20, create: () => createDigest('sha1') },
  sha256: { bytes: 32, create: () => createDigest('sha256') },
}

const PREFIX = 'x-amz-checksum-'

/** @param header - such as `x-amz-checksum-crc32` @returns `undefined` for an unknown algorithm */
export function checksumOf(header: string): { readonly bytes: number; readonly create: () => Checksum } | undefined {
  const algorithm = header.startsWith(PREFIX) ? header.slice(PREFIX.length) : ''
  return Object.hasOwn(CHECKSUMS, algorithm) ? CHECKSUMS[algorithm] : undefined
}

export function createDigest(algorithm: 'md5' | 'sha1' | 'sha256'): Checksum {
  const hash = createHash(algorithm)
  return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest() }
}

function createCrc32(): Checksum {
  let sum = 0
  return {
    update(bytes) {
      sum = crc32(bytes, sum)
    },
    async digest() {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(sum)
      return bytes
    },
  }
}

function wrap(sum: { update(bytes: Uint8Array): void; digest(): Promise<Uint8Array> }): Checksum {
  return { update: (bytes) => sum.update(bytes), digest: async () => Buffer.from(await sum.digest()) }
}
