import type { DelayCause, DeviceDelay, IncompleteTable } from '@holdfast/protocol'
import type { SessionState } from '../stream/session-state.ts'
import type { UploadProblem } from './upload-problems.ts'

/** What is known of a device and of the server, all of it without asking Postgres. */
export interface DelayFacts {
  readonly nowMs: number
  /** The state of its stream; `undefined` if it has none here. */
  readonly session: SessionState | undefined
  /** When the server started to wait for the device to read. */
  readonly waitsSinceMs: number | undefined
  /** When and why its last stream ended. */
  readonly ended: { readonly atMs: number; readonly reason: string | undefined } | undefined
  readonly incomplete: readonly IncompleteTable[]
  readonly upload: UploadProblem | undefined
  readonly sync: {
    /** Why devices are not served. */
    readonly problem: string | undefined
    readonly isReady: boolean
    readonly hasPlan: boolean
    readonly lagSeconds: number
    /** The table being read, and its rows read so far. */
    readonly filling: { readonly table: string; readonly rows: number } | undefined
  }
}

/** Shorter delays are ordinary. */
const ORDINARY_S = 2

/** Finds why a device does not have the newest rows, the main cause first. */
export function findDelay(facts: DelayFacts): DeviceDelay {
  const { session, nowMs } = facts
  if (!session) return { causes: [notConnected(facts), ...uploadCauses(facts)], seconds: null }
  const workingS = isComplete(facts, session) ? 0 : Math.max(0, (nowMs - session.workingSinceMs) / 1_000)
  const causes = [
    ...serverCauses(facts),
    ...uploadCauses(facts),
    ...(workingS > ORDINARY_S ? streamCauses(facts, session) : []),
    ...incompleteCauses(facts),
  ]
  const { lagSeconds } = facts.sync
  return { causes, seconds: Math.round((workingS + (lagSeconds > ORDINARY_S ? lagSeconds : 0)) * 10) / 10 }
}

/** Whether everything that the server has was sent. */
function isComplete({ sync }: DelayFacts, { phase, isPending, completed }: SessionState): boolean {
  return phase === 'resting' && completed !== undefined && !isPending && sync.hasPlan
}

function notConnected({ ended, nowMs }: DelayFacts): DelayCause {
  if (!ended) return { code: 'not_connected', text: 'It is not connected.' }
  const reason = END_REASONS[ended.reason ?? ''] ?? 'its stream ended'
  return {
    code: 'not_connected',
    text: `It has not been connected for ${spoken((nowMs - ended.atMs) / 1_000)}: ${reason}.`,
  }
}

const END_REASONS: Readonly<Record<string, string>> = {
  connection_closed: 'the device closed the connection, or its network was lost',
  connection_stalled: 'it stopped reading, so the server closed the connection',
  connection_replaced: 'it opened another stream',
  ended_by_operator: 'an operator ended its stream, and it has not come back',
  PSYNC_S2103: 'its access token expired, and it has not come back with a new one',
  PSYNC_S2003: 'the server was stopped, and it has not come back',
  HF_SYNC_REFUSED: 'sync was turned off, and it has not come back',
  session_expired: 'its session has expired',
  session_not_found: 'its session has ended: the user signed out, or was banned or deleted',
  user_banned: 'its user was banned',
  failed: 'its stream failed; the log has the error',
}

function serverCauses({ sync }: DelayFacts): DelayCause[] {
  if (sync.problem !== undefined)
    return [{ code: 'sync_not_ready', text: `The server does not serve devices: ${sync.problem}` }]
  if (!sync.hasPlan || !sync.isReady)
    return [{ code: 'policies_compiled', text: 'Its policies are being compiled after a change of the schema.' }]
  if (sync.lagSeconds <= ORDINARY_S) return []
  return [
    {
      code: 'slot_behind',
      text: `The change reader is ${spoken(sync.lagSeconds)} behind the database, for all devices.`,
      action: 'A large transaction passes by itself. Otherwise see "holdfast sync status".',
    },
  ]
}

function uploadCauses({ upload, nowMs }: DelayFacts): DelayCause[] {
  if (!upload) return []
  const { message, times, atMs, code } = upload
  const repeated = times > 1 ? `, ${times} times in a row` : ''
  return [
    {
      code: 'upload_blocked',
      text: `Its upload is blocked by: ${message} (${code}${repeated}, last ${spoken((nowMs - atMs) / 1_000)} ago). While changes wait, a device does not show newer rows.`,
    },
  ]
}

function streamCauses({ waitsSinceMs, nowMs, sync }: DelayFacts, session: SessionState): DelayCause[] {
  const since = spoken((nowMs - session.workingSinceMs) / 1_000)
  if (waitsSinceMs !== undefined && nowMs - waitsSinceMs > ORDINARY_S * 1_000)
    return [
      {
        code: 'not_reading',
        text: `The device does not read: the server has waited ${spoken((nowMs - waitsSinceMs) / 1_000)} for its connection to take more data.`,
        action:
          'Its network is slow or gone, or the app is suspended. After ten minutes the server closes the connection.',
      },
    ]
  if (session.keys === 'evaluating')
    return [
      {
        code: 'policy_evaluated',
        text: `Its policies have been evaluated for ${since}.`,
        action: 'Look for a slow policy: "holdfast sync coverage" shows their costs.',
      },
    ]
  if (session.keys === 'waiting for the log')
    return [
      { code: 'slot_behind', text: `It has waited ${since} for the change reader to reach what its policies saw.` },
    ]
  if (session.step === 'wait for a plan' || !sync.hasPlan) return []
  return [
    {
      code: 'downloading',
      text: `It has been downloading for ${since}: ${session.operationsLeft.toLocaleString('en')} of ${session.operations.toLocaleString('en')} operations are in buckets that are not complete.`,
    },
  ]
}

function incompleteCauses({ incomplete, sync }: DelayFacts): DelayCause[] {
  return incomplete.map(({ table, reason, policy }): DelayCause => {
    if (reason === 'being_read') {
      const isCurrent = sync.filling?.table.endsWith(`.${table}`) === true
      const rows = isCurrent ? `, ${sync.filling.rows.toLocaleString('en')} so far` : ''
      return { code: 'table_being_read', text: `Rows of "${table}" are still being read${rows}.` }
    }
    if (reason === 'policy_fails')
      return { code: 'policy_fails', text: `A policy of "${table}" fails for this user, so its rows are left out.` }
    const by = policy === undefined ? '' : ` by policy "${policy}"`
    return {
      code: 'too_many_buckets',
      text: `Rows of "${table}" are left out${by}: they are in more groups than can be followed for it.`,
    }
  })
}

/** `45 seconds`, `3 minutes`. */
function spoken(seconds: number): string {
  const value = Math.max(0, seconds)
  const [count, unit] =
    value < 120
      ? [value, 'second']
      : value < 7_200
        ? [value / 60, 'minute']
        : value < 172_800
          ? [value / 3_600, 'hour']
          : [value / 86_400, 'day']
  const rounded = Math.round(count)
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`
}
