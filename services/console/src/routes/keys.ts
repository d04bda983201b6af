import { API_KEY_NAMES, type ApiKeyName, type KeyList, type SigningKey } from '@holdfast/protocol'
import { Type } from 'typebox'
import { type CallApi, encodeSegment, requestApi } from '../call-api.ts'
import { keyUnknown } from '../errors.ts'
import { PASSWORD_CHARS_MAX } from '../limits.ts'
import { requireOperator } from '../operators/require-operator.ts'
import { requirePassword, type RequirePasswordNeeds } from '../operators/require-password.ts'
import { route, type Route } from '../routing/route.ts'

export interface KeySources {
  readonly apiKeys: Readonly<Record<ApiKeyName, string>>
  readonly secretPlace: string
  readonly isSecretGenerated: boolean
  readonly tokenSeconds: number
}

export interface KeyRoutesNeeds extends RequirePasswordNeeds {
  readonly callApi: CallApi
  readonly keys: KeySources
}

/** Keys that apps contain. The others pass row-level security. */
const PUBLIC: ReadonlySet<ApiKeyName> = new Set(['publishable', 'anon'])

/** Characters shown of a key that is not public, which tell its kind. */
const SHOWN_CHARS = 14

const SIGNING_KEYS = '/admin/signing-keys'

/** A signing key as the accounts API returns it. */
interface ApiSigningKey extends Pick<SigningKey, 'kid' | 'algorithm' | 'status'> {
  readonly created_at: string
  readonly updated_at: string
}

const Password = Type.String({ maxLength: PASSWORD_CHARS_MAX })

/** API keys, and the keys that sign sessions. Only owners see an API key that is not public, or change a signing key. */
export function keyRoutes(needs: KeyRoutesNeeds): readonly Route[] {
  const { callApi, keys } = needs
  return [
    route('GET /keys', {
      access: 'developer',
      run: async (): Promise<KeyList> => ({
        api: API_KEY_NAMES.map((name) => {
          const isPublic = PUBLIC.has(name)
          const key = keys.apiKeys[name]
          return { name, isPublic, shown: isPublic ? key : `${key.slice(0, SHOWN_CHARS)}…` }
        }),
        signing: await readSigning(callApi),
        secretPlace: keys.secretPlace,
        isSecretGenerated: keys.isSecretGenerated,
        tokenSeconds: keys.tokenSeconds,
      }),
    }),
    route('POST /keys/:name/reveal', {
      access: 'owner',
      action: 'reveal_key',
      body: Type.Object({ password: Password }),
      run: async ({ parameters, body, session, request, note }) => {
        const name = API_KEY_NAMES.find((known) => known === parameters['name'])
        if (!name) throw keyUnknown()
        note({ target: `API key ${name}` })
        const { id } = requireOperator(session).operator
        await requirePassword(needs, { id, password: body.password, address: request.address })
        return { key: keys.apiKeys[name] }
      },
    }),
    ...signingRoutes(needs),
  ]
}

function signingRoutes(needs: KeyRoutesNeeds): readonly Route[] {
  const { callApi } = needs
  return [
    route('POST /signing-keys', {
      access: 'owner',
      action: 'add_signing_key',
      body: Type.Object({ algorithm: Type.Union([Type.Literal('ES256'), Type.Literal('RS256')]) }),
      run: async ({ body, note }) => {
        note({ after: body })
        const known = new Set((await readSigning(callApi)).map(({ kid }) => kid))
        await requestApi(callApi, 'auth', { method: 'POST', path: SIGNING_KEYS, body })
        const added = (await readSigning(callApi)).find(({ kid }) => !known.has(kid))
        if (added) note({ target: targetOf(added.kid) })
      },
    }),
    route('POST /signing-keys/:kid/rotate', {
      access: 'owner',
      action: 'rotate_signing_key',
      body: Type.Object({ isAtOnce: Type.Boolean() }),
      run: async ({ parameters: { kid = '' }, body, note }) => {
        const current = (await readSigning(callApi)).find(({ status }) => status === 'current')
        note({ target: targetOf(kid), before: { current: current?.kid }, after: { current: kid, ...body } })
        const rotation = { kid, at_once: body.isAtOnce }
        await requestApi(callApi, 'auth', { method: 'POST', path: `${SIGNING_KEYS}/rotate`, body: rotation })
      },
    }),
    route('DELETE /signing-keys/:kid', {
      access: 'owner',
      action: 'revoke_signing_key',
      body: Type.Object({ password: Password }),
      run: async ({ parameters: { kid = '' }, body, session, request, note }) => {
        note({ target: targetOf(kid) })
        const { id } = requireOperator(session).operator
        await requirePassword(needs, { id, password: body.password, address: request.address })
        await requestApi(callApi, 'auth', { method: 'DELETE', path: `${SIGNING_KEYS}/${encodeSegment(kid)}` })
      },
    }),
  ]
}

const targetOf = (kid: string): string => `signing key ${kid}`

async function readSigning(callApi: CallApi): Promise<readonly SigningKey[]> {
  const { keys } = await requestApi<{ readonly keys: readonly ApiSigningKey[] }>(callApi, 'auth', {
    method: 'GET',
    path: SIGNING_KEYS,
  })
  return keys
    .map(({ kid, algorithm, status, created_at, updated_at }) => ({
      kid,
      algorithm,
      status,
      createdAt: created_at,
      updatedAt: updated_at,
    }))
    .toReversed()
}
