import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { useEffect, useState } from 'react'
import { deviceNameOf } from '../../lib/auth/device-name.ts'
import { listOwnSessions } from '../../lib/auth/own-sessions.ts'
import {
  COACH_STEPS,
  coachStateOf,
  type CoachState,
  type CoachStep,
  completeSteps,
  hideCoach,
  useCoachStates,
} from '../../lib/coach.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { useTableCounts } from '../../lib/data/use-table-counts.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { canChange, useWorkspace } from '../../lib/records/use-workspace.ts'

/** Age in days up to which a workspace is new. */
const NEW_DAYS = 30
/** Set in the account's metadata, so that the coach is hidden on all devices. */
const HIDDEN = 'coach_hidden'

export interface Coach {
  readonly done: readonly CoachStep[]
  hide(): void
}

/** Returns the first steps of an owner or admin of a new workspace; `undefined` if hidden or for others. */
export function useCoach(): Coach | undefined {
  const { userId } = useLocalDatabase()
  const { client, config } = useBackend()
  const state = useCoachStates((states) => coachStateOf(states, userId))
  const workspace = useWorkspace()
  const isHiddenElsewhere = useIsHiddenElsewhere(state.isHidden)
  const isYoung = useIsNew(workspace?.id)
  // The sample's workspace is as old as its records, and new to whoever looks at it.
  const isNew = isYoung || config.sample !== undefined
  const isHidden = state.isHidden || isHiddenElsewhere
  const isShown = workspace !== undefined && workspace !== null && canChange(workspace) && isNew && isHidden === false
  useCompletion(userId, isShown ? state : undefined)
  if (!isShown) return undefined
  return {
    done: COACH_STEPS.filter((step) => state.done.includes(step)),
    hide() {
      hideCoach(userId)
      client.supabase.auth
        .updateUser({ data: { [HIDDEN]: true } })
        .then(({ error }) => error && console.info('The steps are hidden on this device only.', error))
        .catch((error: unknown) => console.info('The steps are hidden on this device only.', error))
    },
  }
}

/** Whether the account's metadata, as this device last received it, says so. `undefined` until it is read. */
function useIsHiddenElsewhere(isHidden: boolean): boolean | undefined {
  const { client } = useBackend()
  const [isHiddenElsewhere, setHiddenElsewhere] = useState<boolean>()
  useEffect(() => {
    if (isHidden) return
    client.supabase.auth
      .getSession()
      .then(({ data }) => setHiddenElsewhere(data.session?.user.user_metadata[HIDDEN] === true))
      .catch((error: unknown) => console.info('The session could not be read.', error))
  }, [client, isHidden])
  return isHiddenElsewhere
}

function useIsNew(workspace: string | undefined): boolean {
  const { rows } = useRecords<{ readonly isNew: number }>(
    workspace === undefined
      ? ''
      : `select julianday('now') - julianday(created_at) < ${NEW_DAYS} as isNew from hf_workspaces where id = ?`,
    workspace === undefined ? [] : [workspace],
  )
  return rows[0]?.isNew === 1
}

/** Completes the steps that the user has done. `state`: `undefined` when the coach is hidden. */
function useCompletion(userId: string, state: CoachState | undefined): void {
  const { tables } = useSchema()
  const hasRecords = [...useTableCounts().values()].some((count) => count > 0)
  const invites = ['hf_invitations', 'hf_invite_links'].filter((name) => tables.some((table) => table.name === name))
  const { rows } = useRecords<{ readonly others: number }>(
    state && tables.some(({ name }) => name === 'hf_members')
      ? `select (select count(*) - 1 from hf_members) ${invites.map((name) => `+ (select count(*) from ${name})`).join(' ')} as others`
      : '',
  )
  const hasInvited = (rows[0]?.others ?? 0) > 0
  const hasPhone = useHasPhone(state !== undefined && !state.done.includes('phone'))
  // What was done stays done, also when the records are deleted.
  useEffect(() => {
    if (!state) return
    completeSteps(userId, [
      ...(hasRecords ? ['record' as const] : []),
      ...(hasInvited ? ['invite' as const] : []),
      ...(hasPhone ? ['phone' as const] : []),
    ])
  }, [userId, state, hasRecords, hasInvited, hasPhone])
}

/** Whether this account is signed in on a phone or in an installed app. Asks the server again when the user returns to the page. */
function useHasPhone(isAsked: boolean): boolean {
  const { client, config } = useBackend()
  const isOnline = useOnline()
  const [hasPhone, setHasPhone] = useState(false)
  const isHere = deviceNameOf(navigator.userAgent).kind === 'phone' || matchMedia('(display-mode: standalone)').matches
  useEffect(() => {
    if (!isAsked || isHere || !isOnline) return
    const look = (): void => {
      if (document.visibilityState !== 'visible') return
      listOwnSessions(client, config.anonKey)
        .then((sessions) => {
          setHasPhone(sessions.some(({ userAgent }) => deviceNameOf(userAgent ?? '').kind === 'phone'))
        })
        // Asked again at the next visit.
        .catch((error: unknown) => console.info('The sessions could not be read.', error))
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [client, config.anonKey, isAsked, isHere, isOnline])
  return isAsked && (isHere || hasPhone)
}
