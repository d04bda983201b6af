import { type JSX, useCallback, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Switch } from '../../components/checkbox.tsx'
import { Notice } from '../../components/notice.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { pageLanguage } from '../../lib/language.ts'
import { callFunction } from '../../lib/data/call-function.ts'
import { accountMessages } from '../../messages/account.ts'
import { notificationMessages as words } from '../../messages/notifications.ts'
import { useAccount } from './account-context.tsx'
import { useOnlineRead } from './use-online-read.ts'

interface DailyMail {
  readonly is_on: boolean
  readonly is_member: boolean
}

/** Switches the daily mail on or off. Requires a connection. */
export function DailyMailSwitch(): JSX.Element {
  const backend = useBackend()
  const { blocked } = useAccount()
  const [isBusy, setBusy] = useState(false)
  const [hasFailed, setFailed] = useState(false)
  // The setting is stored on the server: read while online, and again after a reconnect.
  const { state, reload } = useOnlineRead(
    useCallback(() => callFunction<DailyMail>(backend, 'daily_mail', {}), [backend]),
  )
  // A value that could not be reread may be outdated, even because of a change made here.
  const hasNoAnswer = state.kind === 'failed' || (state.kind === 'ready' && state.error !== undefined)
  const mail = state.kind === 'ready' && !hasNoAnswer ? state.value : undefined

  const change = async (isOn: boolean): Promise<void> => {
    setBusy(true)
    setFailed(false)
    try {
      await callFunction(backend, 'set_daily_mail', { is_on: isOn, language: pageLanguage() })
    } catch (error) {
      console.warn('The daily mail was not changed.', error)
      setFailed(true)
    }
    await reload()
    setBusy(false)
  }
  const why = (blocked && words[blocked]) ?? (mail?.is_member === false ? words.mailNoMember : undefined)
  return (
    <>
      <div className="rounded-lg border border-border px-4 py-2">
        <Switch
          isSelected={mail?.is_on === true && mail.is_member}
          isDisabled={mail === undefined || isBusy || why !== undefined}
          onChange={(isOn) => void change(isOn)}
        >
          <span className="block">{words.mailLabel}</span>
          <span className="block text-small text-muted">{why ?? words.mailDetail}</span>
        </Switch>
      </div>
      <div role="status">
        {hasNoAnswer ? (
          <Notice
            tone="warning"
            title={words.mailNotRead}
            actions={
              <Button size="sm" onPress={() => void reload()}>
                {accountMessages.tryAgain}
              </Button>
            }
          />
        ) : hasFailed ? (
          <Notice tone="warning" title={words.failed} />
        ) : null}
      </div>
    </>
  )
}
