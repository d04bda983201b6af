import { hasSession } from '@holdfast/client'
import { useValue } from '@holdfast/react'
import { useNavigate } from '@tanstack/react-router'
import { Compass, DatabaseZap, FileSpreadsheet } from 'lucide-react'
import { type JSX, type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Disclosure } from '../../components/disclosure.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { Notice } from '../../components/notice.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useWelcomeKey } from '../../lib/auth/welcome-key.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { welcomeMessages as words } from '../../messages/welcome.ts'

/** Not translated, because these are server settings. */
const OWN_POSTGRES = 'DATABASE_URL=postgres://… npx holdfast start'
const ICON = { size: 22, 'aria-hidden': true } as const

/**
 * The start page of a server with the sample. The key signs in once, with the first choice, so that viewing the page does not consume it. Without a key, the
 * choices lead to the sign-in screen.
 */
export function SampleWelcome(): JSX.Element {
  const { config } = useBackend()
  const isOnline = useOnline()
  const { failure, pending, begin } = useBegin()
  const workspace = `/w/${config.project.slug}`
  const start = config.sample?.start
  const isTooOld = failure?.kind === 'code'

  return (
    <EntryPage
      project={config.project.name}
      title={words.title}
      lead={words.lead}
      offline={isOnline ? undefined : words.offline}
      notice={
        isTooOld ? (
          <Notice role="status" tone="warning" title={words.keyTooOld}>
            {words.keyTooOldDetail}
          </Notice>
        ) : (
          <FormFailure failure={failure} />
        )
      }
    >
      <ul className="flex flex-col gap-3">
        <WelcomeChoice
          title={words.sample}
          detail={words.sampleDetail}
          icon={<Compass {...ICON} />}
          autoFocus
          isPending={pending === 'sample'}
          onChoose={() => void begin('sample', start ? `${workspace}/t/${start.table}/v/${start.view}` : workspace)}
        />
        <WelcomeChoice
          title={words.file}
          detail={words.fileDetail}
          icon={<FileSpreadsheet {...ICON} />}
          isPending={pending === 'file'}
          onChoose={() => void begin('file', `${workspace}/import?new=true`)}
        />
        <li className="flex gap-4 px-4 py-3">
          <span className="text-muted">
            <DatabaseZap {...ICON} />
          </span>
          <div className="min-w-0">
            <p className="font-medium">{words.postgres}</p>
            <p className="text-small text-muted">{words.postgresDetail}</p>
            <Disclosure title={words.postgresHow}>
              <p className="text-small">{words.postgresSteps}</p>
              <code className="mt-1 block font-mono text-small text-text select-all">{OWN_POSTGRES}</code>
            </Disclosure>
          </div>
        </li>
      </ul>
    </EntryPage>
  )
}

type Choice = 'sample' | 'file'

/** Signs in with the key, unless a user is signed in, and continues. */
function useBegin(): {
  readonly failure: AuthFailure | undefined
  readonly pending: Choice | undefined
  readonly begin: (choice: Choice, to: string) => Promise<void>
} {
  const { config, client } = useBackend()
  const key = useWelcomeKey((state) => state.key)
  const isIn = hasSession(useValue(client.session))
  const navigate = useNavigate()
  const goOn = useGoOn()
  const [failure, setFailure] = useState<AuthFailure>()
  const [pending, setPending] = useState<Choice>()

  const signIn = async (token: string): Promise<AuthFailure | undefined> => {
    const { error } = await client.supabase.auth.verifyOtp({ token_hash: token, type: 'magiclink' })
    return error ? classifyAuthError(error, config.project.name) : undefined
  }
  const begin = async (choice: Choice, to: string): Promise<void> => {
    if (isIn) return await goOn(to)
    if (key === undefined) return await navigate({ to: '/sign-in', search: { redirect: to } })
    setPending(choice)
    const refused = await signIn(key)
    setPending(undefined)
    setFailure(refused)
    // A refused key stays refused; a request that did not arrive can be retried.
    if (refused === undefined || refused.kind === 'code') useWelcomeKey.setState({ key: undefined })
    if (refused === undefined) await goOn(to)
  }
  return { failure, pending, begin }
}

/** One way to start: a large button with a description. */
function WelcomeChoice({
  title,
  detail,
  icon,
  autoFocus = false,
  isPending,
  onChoose,
}: {
  readonly title: string
  readonly detail: string
  readonly icon: ReactNode
  readonly autoFocus?: boolean
  readonly isPending: boolean
  readonly onChoose: () => void
}): JSX.Element {
  return (
    <li>
      <Button
        autoFocus={autoFocus}
        isPending={isPending}
        onPress={onChoose}
        className="flex min-h-16 w-full gap-4 rounded-lg border border-control/60 px-4 py-3 text-left transition-colors data-hovered:bg-hover data-pressed:bg-pressed"
      >
        <span className="text-accent">{isPending ? <Spinner /> : icon}</span>
        <span className="min-w-0">
          <span className="block font-medium">{title}</span>
          <span className="block text-small text-muted">{detail}</span>
        </span>
      </Button>
    </li>
  )
}
