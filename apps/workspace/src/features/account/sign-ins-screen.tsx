import { CircleHelp, Monitor, Smartphone, SquareTerminal, Tablet } from 'lucide-react'
import { type JSX, useCallback, useEffect, useRef, useState } from 'react'
import { Chip } from '../../components/chip.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Page } from '../../components/page.tsx'
import { showToast } from '../../components/toast.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signInMethods, signInsMessages as words } from '../../messages/account-sign-ins.ts'
import { useAccount } from './account-context.tsx'
import { AccountState } from './account-layout.tsx'
import { ActionButton } from './action-button.tsx'
import { type DeviceKind, deviceNameOf } from '../../lib/auth/device-name.ts'
import { FailureText } from './failure-text.tsx'
import { endOwnSession, listOwnSessions, type OwnSession } from '../../lib/auth/own-sessions.ts'
import { ReadState } from './read-state.tsx'
import { RemovableRow, type Removal } from './removable-row.tsx'
import { Rows, Section } from '../../components/section.tsx'
import { useAction } from './use-action.ts'
import { useOnlineRead } from './use-online-read.ts'

const ICON = { size: 18, 'aria-hidden': true } as const
const ICONS: Readonly<Record<DeviceKind, JSX.Element>> = {
  phone: <Smartphone {...ICON} />,
  tablet: <Tablet {...ICON} />,
  computer: <Monitor {...ICON} />,
  program: <SquareTerminal {...ICON} />,
  unknown: <CircleHelp {...ICON} />,
}

/** Lists the user's sessions, with buttons to end them. */
export function SignInsScreen(): JSX.Element {
  const { config, client } = useBackend()
  const { supabase, blocked } = useAccount()
  const { state, reload } = useOnlineRead(
    useCallback(() => listOwnSessions(client, config.anonKey), [client, config.anonKey]),
  )
  const action = useAction()
  const [isAsking, setAsking] = useState(false)
  const headingRef = useRef<HTMLHeadingElement>(null)

  // Refreshes the list when the user returns to this tab.
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible' && blocked === undefined) void reload()
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [reload, blocked])

  const signOutOthers = async (): Promise<void> => {
    setAsking(false)
    const isDone = await action.run(async () => {
      const { error } = await supabase.auth.signOut({ scope: 'others' })
      if (error) throw error
      await reload()
    })
    if (!isDone) return
    showToast({ text: words.othersDone })
    headingRef.current?.focus()
  }
  return (
    <Page title={words.title} description={words.lead} width="reading">
      <AccountState>
        <ReadState state={state} onRetry={reload} rows={4}>
          {(sessions) => {
            const others = sessions.filter(({ isCurrent }) => !isCurrent).length
            return (
              <Section
                title={words.label}
                headingRef={headingRef}
                description={others === 0 ? words.onlyThis : undefined}
                action={
                  others === 0 ? null : (
                    <ActionButton size="sm" isPending={action.isPending} onPress={() => setAsking(true)}>
                      {words.signOutOthers}
                    </ActionButton>
                  )
                }
              >
                <FailureText failure={action.failure} />
                <Rows label={words.label}>
                  {sessions.map((session) => (
                    <SessionRow
                      key={session.id}
                      session={session}
                      onEnd={async () => {
                        await endOwnSession(client, config.anonKey, session.id)
                        await reload()
                      }}
                      onGone={() => headingRef.current?.focus()}
                    />
                  ))}
                </Rows>
                <p className="max-w-[68ch] text-small text-muted">{words.delay}</p>
                <ConfirmDialog
                  title={words.othersTitle(others)}
                  isOpen={isAsking}
                  onClose={() => setAsking(false)}
                  isDanger
                  confirmLabel={words.signOutOthers}
                  onConfirm={() => void signOutOthers()}
                >
                  <p>{words.confirmDetail}</p>
                </ConfirmDialog>
              </Section>
            )
          }}
        </ReadState>
      </AccountState>
    </Page>
  )
}

function SessionRow({
  session,
  onEnd,
  onGone,
}: {
  readonly session: OwnSession
  readonly onEnd: () => Promise<void>
  readonly onGone: () => void
}): JSX.Element {
  const { name: known, kind } = deviceNameOf(session.userAgent)
  const name = known ?? words.unknownDevice
  const removal: Removal = {
    label: words.signOut,
    namedLabel: words.signOutNamed(name),
    title: words.confirmTitle(name),
    detail: words.confirmDetail,
    done: words.signedOut(name),
    run: onEnd,
    onGone,
  }
  return (
    <RemovableRow
      icon={ICONS[kind]}
      title={name}
      mark={
        <>
          {session.isCurrent ? <Chip colour="teal">{words.thisDevice}</Chip> : null}
          {session.hasSecondStep ? <Chip colour="green">{words.twoSteps}</Chip> : null}
          {session.isSupport ? <Chip colour="amber">{words.support}</Chip> : null}
        </>
      }
      removal={session.isCurrent ? undefined : removal}
    >
      <span className="block">
        {[words.seen(session.seenAt), session.ip].filter((part) => part !== undefined).join(' · ')}
      </span>
      <span className="block first-letter:uppercase">
        {[
          words.started(session.startedAt, methodNames(session.methods)),
          session.endsAt === undefined ? undefined : words.ends(session.endsAt),
        ]
          .filter((part) => part !== undefined)
          .join(' · ')}
      </span>
    </RemovableRow>
  )
}

function methodNames(methods: readonly string[]): readonly string[] {
  return [...new Set(methods.map((method) => signInMethods[method] ?? method).filter((name) => name !== ''))]
}
