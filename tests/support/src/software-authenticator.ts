import { createHash, generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto'

/** What a page passes to `navigator.credentials.create`, with bytes as base64url; only the fields read here. */
export interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id?: string }
  readonly user: { readonly id: string }
  readonly excludeCredentials?: readonly { readonly id: string }[]
  readonly authenticatorSelection?: { readonly userVerification?: string; readonly residentKey?: string }
}

/** What a page passes to `navigator.credentials.get`, with bytes as base64url; only the fields read here. */
export interface RequestOptions {
  readonly challenge: string
  readonly rpId?: string
  readonly allowCredentials?: readonly { readonly id: string }[]
}

export interface RegistrationAnswer {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly response: {
    readonly clientDataJSON: string
    readonly attestationObject: string
    readonly transports: 'internal'[]
  }
  readonly clientExtensionResults: Record<string, never>
}

export interface AssertionAnswer {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle?: string
  }
  readonly clientExtensionResults: Record<string, never>
}

/** What a person who cheats would do otherwise than a browser and an authenticator do. */
export interface Deviations {
  /** The page that asks. */
  readonly origin?: string
  /** The domain that the authenticator signs for. */
  readonly rpId?: string
  readonly challenge?: string
  /** Whether the person unlocked the authenticator. Default: they did. */
  readonly userVerified?: boolean
  /** The counter of this signature; the authenticator goes on counting as if there was none. */
  readonly counter?: number
  /** Whose credential the answer says it is, base64url. */
  readonly userHandle?: string
}

interface StoredCredential {
  readonly id: string
  readonly rpId: string
  readonly userHandle: string
  readonly privateKey: KeyObject
  counter: number
}

/** An authenticator without a device: it keeps real P-256 keys and signs with them, as `packed` ones do, but attests nothing. */
export interface SoftwareAuthenticator {
  /** Answers `navigator.credentials.create`, as the credential's `toJSON` has it. */
  create(options: CreationOptions, deviations?: Deviations): RegistrationAnswer
  /** Answers `navigator.credentials.get`. @throws {Error} when it has no credential that was asked for */
  get(options: RequestOptions, deviations?: Deviations): AssertionAnswer
  /** `navigator.credentials` of a page that has this authenticator. */
  readonly browserCredentials: {
    create(options: { readonly publicKey: unknown }): Promise<unknown>
    get(options: { readonly publicKey: unknown }): Promise<unknown>
  }
  /** The page's `PublicKeyCredential`. */
  readonly PublicKeyCredential: new () => object
}

const FLAG_USER_PRESENT = 0x01
const FLAG_USER_VERIFIED = 0x04
const FLAG_BACKUP_ELIGIBLE = 0x08
const FLAG_BACKED_UP = 0x10
const FLAG_HAS_CREDENTIAL = 0x40

/**
 * @param options.origin - of the page that it is used on, such as `http://localhost:3000`
 * @param options.synced - whether its credentials are copied to other devices, as a phone's passkeys are; then they have no counter
 */
export function createSoftwareAuthenticator(options: {
  readonly origin: string
  readonly synced?: boolean
}): SoftwareAuthenticator {
  const authenticator = new Authenticator(options.origin, options.synced ?? false)

  class PublicKeyCredential {
    answer: RegistrationAnswer | AssertionAnswer | undefined
    toJSON(): RegistrationAnswer | AssertionAnswer | undefined {
      return this.answer
    }
  }

  function asCredential(answer: RegistrationAnswer | AssertionAnswer): PublicKeyCredential {
    return Object.assign(new PublicKeyCredential(), { answer })
  }

  return {
    create: (asked, deviations) => authenticator.create(asked, deviations),
    get: (asked, deviations) => authenticator.get(asked, deviations),
    browserCredentials: {
      create: async ({ publicKey }) =>
        asCredential(authenticator.create(withTextForBytes(publicKey) as CreationOptions)),
      get: async ({ publicKey }) => asCredential(authenticator.get(withTextForBytes(publicKey) as RequestOptions)),
    },
    PublicKeyCredential,
  }
}

class Authenticator {
  readonly #origin: string
  readonly #synced: boolean
  readonly #host: string
  readonly #aaguid = Buffer.from(randomUUID().replaceAll('-', ''), 'hex')
  readonly #credentials: StoredCredential[] = []

  constructor(origin: string, synced: boolean) {
    this.#origin = origin
    this.#synced = synced
    this.#host = new URL(origin).hostname
  }

  #authenticatorData(rpId: string, counter: number, deviations: Deviations, credential?: Buffer): Buffer {
    const flags =
      FLAG_USER_PRESENT |
      ((deviations.userVerified ?? true) ? FLAG_USER_VERIFIED : 0) |
      (this.#synced ? FLAG_BACKUP_ELIGIBLE | FLAG_BACKED_UP : 0) |
      (credential ? FLAG_HAS_CREDENTIAL : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.of(flags), count, credential ?? Buffer.alloc(0)])
  }

  #clientData(type: 'webauthn.create' | 'webauthn.get', challenge: string, deviations: Deviations): Buffer {
    const data = {
      type,
      challenge: deviations.challenge ?? challenge,
      origin: deviations.origin ?? this.#origin,
      crossOrigin: false,
    }
    return Buffer.from(JSON.stringify(data))
  }

  create(asked: CreationOptions, deviations: Deviations = {}): RegistrationAnswer {
    if (asked.excludeCredentials?.some(({ id }) => this.#credentials.some((credential) => credential.id === id))) {
      throw new DOMException('The authenticator was previously registered', 'InvalidStateError')
    }
    const rpId = deviations.rpId ?? asked.rp.id ?? this.#host
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = randomBytes(32)
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const coseKey = encodeMap([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const counter = this.#synced ? 0 : 1
    const credentialData = Buffer.concat([this.#aaguid, length, id, coseKey])
    const authData = this.#authenticatorData(rpId, deviations.counter ?? counter, deviations, credentialData)
    const attestation = encodeMap([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    this.#credentials.push({ id: id.toString('base64url'), rpId, userHandle: asked.user.id, privateKey, counter })
    return {
      id: id.toString('base64url'),
      rawId: id.toString('base64url'),
      type: 'public-key',
      response: {
        clientDataJSON: this.#clientData('webauthn.create', asked.challenge, deviations).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
      clientExtensionResults: {},
    }
  }

  get(asked: RequestOptions, deviations: Deviations = {}): AssertionAnswer {
    const rpId = asked.rpId ?? this.#host
    const allowed = asked.allowCredentials?.map(({ id }) => id) ?? []
    const credential = this.#credentials.findLast(
      (known) => known.rpId === rpId && (allowed.length === 0 || allowed.includes(known.id)),
    )
    if (!credential) throw new DOMException('There is no credential that was asked for', 'NotAllowedError')
    if (!this.#synced) credential.counter += 1
    const authData = this.#authenticatorData(
      deviations.rpId ?? rpId,
      deviations.counter ?? credential.counter,
      deviations,
    )
    const data = this.#clientData('webauthn.get', asked.challenge, deviations)
    const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), credential.privateKey)
    return {
      id: credential.id,
      rawId: credential.id,
      type: 'public-key',
      response: {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: deviations.userHandle ?? credential.userHandle,
      },
      clientExtensionResults: {},
    }
  }
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

/** A page passes bytes where JSON has base64url. */
function withTextForBytes(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64url')
  if (Array.isArray(value)) return value.map(withTextForBytes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withTextForBytes(field)]))
}

type CborKey = number | string
type CborValue = CborKey | Buffer | Map<CborKey, CborValue>

/** Encodes the part of CBOR (RFC 8949) that an attestation needs. */
function encodeMap(entries: Iterable<readonly [CborKey, CborValue]>): Buffer {
  return encode(new Map(entries))
}

function encode(value: CborValue): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Map) {
    const fields = [...value].flatMap(([key, field]) => [encode(key), encode(field)])
    return Buffer.concat([head(5, value.size), ...fields])
  }
  return Buffer.concat([head(2, value.length), value])
}

/** The kind of an item with its length or number. */
function head(kind: number, argument: number): Buffer {
  if (argument < 24) return Buffer.of((kind << 5) | argument)
  if (argument < 0x100) return Buffer.of((kind << 5) | 24, argument)
  const long = Buffer.alloc(3)
  long.writeUInt8((kind << 5) | 25)
  long.writeUInt16BE(argument, 1)
  return long
}
