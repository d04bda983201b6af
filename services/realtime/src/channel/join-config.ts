import { isRecord } from '@holdfast/foundation'

/** Options of a client's join. */
export interface JoinConfig {
  readonly isPrivate: boolean
  readonly broadcast: { readonly ack: boolean; readonly self: boolean }
  /** As the client wrote it. */
  readonly replay: unknown
  readonly presence: { readonly key: string; readonly isEnabled: boolean }
  /** As the client wrote them. */
  readonly postgresChanges: readonly Readonly<Record<string, unknown>>[]
  /** Whether to delay the reply until changes are followed. */
  readonly waitsForChanges: boolean
  readonly wantsReplicationReady: boolean
  /** `undefined` to use the connection's key. */
  readonly accessToken: string | undefined
}

/** Parses the payload of a join. As in Supabase, parts of a wrong type take their default. */
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

/** @returns `undefined` for values that identify no user: not a string, or a new-style API key */
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
