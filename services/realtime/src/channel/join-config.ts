import { isRecord } from '../wire/decode.ts'

/** What a client asks for when it joins. */
export interface JoinConfig {
  readonly isPrivate: boolean
  readonly broadcast: { readonly ack: boolean; readonly self: boolean }
  /** As the client wrote it. */
  readonly replay: unknown
  readonly presence: { readonly key: string; readonly isEnabled: boolean }
  /** As the client wrote them. */
  readonly postgresChanges: readonly Readonly<Record<string, unknown>>[]
  /** Whether the answer to the join waits until changes come. */
  readonly waitsForChanges: boolean
  readonly wantsReplicationReady: boolean
  /** `undefined` where the key of the connection counts. */
  readonly accessToken: string | undefined
}

/** Reads the payload of a join. A part of a wrong type takes its default, so that the join goes on, as with Supabase. */
export function parseJoin(payload: unknown): JoinConfig {
  const { config, access_token: token, user_token: oldToken } = recordOf(payload)
  const {
    broadcast,
    presence,
    postgres_changes: changes,
    postgres_changes_options: options,
    private: isPrivate,
  } = recordOf(config)
  const { ack, self, replay, replication_ready: ready } = recordOf(broadcast)
  const { key, enabled } = recordOf(presence)
  return {
    isPrivate: booleanOf(isPrivate, false),
    broadcast: { ack: booleanOf(ack, false), self: booleanOf(self, false) },
    replay,
    presence: { key: typeof key === 'string' ? key : '', isEnabled: booleanOf(enabled, true) },
    postgresChanges: Array.isArray(changes) ? changes.filter(isRecord) : [],
    waitsForChanges: booleanOf(recordOf(options)['wait'], false),
    wantsReplicationReady: booleanOf(ready, false),
    accessToken: parseAccessToken(token ?? oldToken),
  }
}

/** @returns `undefined` for what names no user: not a text, or a key of the newer form */
export function parseAccessToken(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && !value.startsWith('sb_') ? value : undefined
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

function booleanOf(value: unknown, fallback: boolean): boolean {
  if (typeof value === 'boolean') return value
  if (value === 'true') return true
  return value === 'false' ? false : fallback
}
