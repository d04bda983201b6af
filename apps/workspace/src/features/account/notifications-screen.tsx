import { useLocalDatabase } from '@holdfast/react'
import { type JSX, useCallback, useEffect, useState } from 'react'
import { Switch } from '../../components/checkbox.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { PushServiceError, type PushState, readPushState, turnPushOff, turnPushOn } from '../../lib/push/push-device.ts'
import { notificationMessages as words } from '../../messages/notifications.ts'
import { useAccount } from './account-context.tsx'
import { DailyMailSwitch } from './daily-mail-switch.tsx'

type Problem = 'dismissed' | 'failed' | 'failedService'

/** Switches this device's notifications, or says why they are unavailable. */
export function NotificationsScreen(): JSX.Element {
  const backend = useBackend()
  const { userId } = useLocalDatabase()
  const { blocked } = useAccount()
  const [state, setState] = useState<PushState>()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const read = useCallback(() => readPushState(backend, userId).then(setState), [backend, userId])

  // The browser's settings change outside the app, so they are checked again when the user returns.
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') void read()
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [read])

  const change = async (isOn: boolean): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      if (isOn) {
        const next = await turnPushOn(backend, userId)
        if (next === 'off') setProblem('dismissed')
      } else await turnPushOff(backend)
    } catch (error) {
      console.warn('Notifications of this device were not changed.', error)
      setProblem(error instanceof PushServiceError ? 'failedService' : 'failed')
    }
    await read()
    setBusy(false)
  }
  const why = reasonOf(state, blocked)
  return (
    <Page title={words.title} description={words.lead} width="reading">
      <div className="flex flex-col gap-4">
        <div className="rounded-lg border border-border px-4 py-2">
          <Switch
            isSelected={state === 'on'}
            isDisabled={state === undefined || isBusy || why !== undefined}
            onChange={(isOn) => void change(isOn)}
          >
            <span className="block">{words.switchLabel}</span>
            <span className="block text-small text-muted">{why ?? (state === 'on' ? words.on : words.off)}</span>
          </Switch>
        </div>
        <div role="status">{problem === undefined ? null : <Notice tone="warning" title={words[problem]} />}</div>
        <p className="max-w-[68ch] text-small text-muted">{words.privacy}</p>
        <DailyMailSwitch />
      </div>
    </Page>
  )
}

/** Returns why the setting cannot be changed now. */
function reasonOf(state: PushState | undefined, blocked: 'offline' | 'expired' | undefined): string | undefined {
  if (state === 'unsupported') return isIos() ? words.unsupportedIos : words.unsupported
  if (state === 'not_served') return words.notServed
  if (state === 'denied') return words.denied
  return blocked && words[blocked]
}

/** Whether the device runs iOS, where web apps get notifications only from the home screen. */
function isIos(): boolean {
  return /iPhone|iPad/.test(navigator.userAgent)
}
