import type { Factor } from '@supabase/supabase-js'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useValue } from '@holdfast/react'
import { Check, KeyRound, LifeBuoy, MessageSquare, Smartphone } from 'lucide-react'
import { type JSX, useEffect, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Button } from '../../components/button.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { secondFactorMessages as words } from '../../messages/second-factor.ts'
import type { FactorFormProps } from './factor-form-props.ts'
import { KeyFactor } from './key-factor.tsx'
import { PhoneFactor } from './phone-factor.tsx'
import { RecoveryCodeFactor, TotpFactor } from './code-factors.tsx'

const ICONS: Readonly<Record<string, JSX.Element>> = {
  totp: <Smartphone size={18} aria-hidden />,
  phone: <MessageSquare size={18} aria-hidden />,
  webauthn: <KeyRound size={18} aria-hidden />,
  recovery_code: <LifeBuoy size={18} aria-hidden />,
}

const ORDER = ['webauthn', 'totp', 'phone', 'recovery_code']

/** Asks for the second factor after the first. This device's data can be opened without it. */
export function SecondFactorScreen(): JSX.Element {
  const { config, client } = useBackend()
  const session = useValue(client.session)
  const device = useValue(client.device)
  const { redirect, factor: wanted } = useSearch({ strict: false })
  const factors = useFactors()
  const isOnline = useOnline()
  const navigate = useNavigate()
  const goOn = useGoOn()
  const [isChoosing, setChoosing] = useState(false)
  const [isLeaving, setLeaving] = useState(false)

  const email = 'user' in session ? session.user.email : undefined
  const factor = factors?.find(({ id }) => id === wanted) ?? factors?.[0]
  const choose = (id: string): void => {
    setChoosing(false)
    void navigate({ to: '/sign-in/second-factor', search: { redirect, factor: id }, replace: true })
  }

  return (
    <EntryPage
      project={config.project.name}
      title={words.title}
      lead={email === undefined || email === '' ? words.detailNoEmail : words.detail(email)}
      offline={isOnline ? undefined : words.offline}
      below={
        <div className="flex flex-col items-stretch gap-2">
          {device.kind === 'open' ? (
            <Button onPress={() => void navigate({ to: '/w', replace: true })}>{words.openLocal}</Button>
          ) : null}
          <Button
            tone="quiet"
            isPending={isLeaving}
            onPress={() => {
              setLeaving(true)
              void client.signOut('keep').then(() => navigate({ to: '/sign-in', replace: true }))
            }}
          >
            {words.signOut}
          </Button>
        </div>
      }
    >
      {factors === undefined ? (
        <Skeleton rows={3} />
      ) : factor === undefined ? (
        <Notice tone="warning" title={words.noFactor}>
          {words.noFactorDetail}
        </Notice>
      ) : isChoosing ? (
        <FactorList factors={factors} current={factor.id} onChoose={choose} />
      ) : (
        <>
          <p className="text-body font-medium">{words.factorName(factor.factor_type, factor.friendly_name)}</p>
          <FactorForm key={factor.id} factor={factor} isOnline={isOnline} onConfirmed={() => goOn(redirect)} />
          {factors.length > 1 ? (
            <Button tone="quiet" isFullWidth onPress={() => setChoosing(true)}>
              {words.another}
            </Button>
          ) : null}
        </>
      )}
    </EntryPage>
  )
}

function FactorForm(props: FactorFormProps): JSX.Element {
  switch (props.factor.factor_type) {
    case 'totp':
      return <TotpFactor {...props} />
    case 'phone':
      return <PhoneFactor {...props} />
    case 'recovery_code':
      return <RecoveryCodeFactor {...props} />
    default:
      return <KeyFactor {...props} />
  }
}

/** Returns the user's verified factors, easiest first: those stored in the session, then the server's. */
function useFactors(): readonly Factor[] | undefined {
  const { client } = useBackend()
  const [factors, setFactors] = useState<readonly Factor[]>()
  // The auth client provides no hook.
  useEffect(() => {
    let isOver = false
    const show = (all: readonly Factor[]): void => {
      const usable = all.filter(({ status, factor_type }) => status === 'verified' && ORDER.includes(factor_type))
      if (!isOver) setFactors(usable.toSorted((a, b) => ORDER.indexOf(a.factor_type) - ORDER.indexOf(b.factor_type)))
    }
    const look = async (): Promise<void> => {
      const { auth } = client.supabase
      const { data: known } = await auth.getSession()
      show(known.session?.user.factors ?? [])
      const { data, error } = await auth.mfa.listFactors()
      if (data) show(data.all)
      else console.info('The factors of the last sign-in are shown; the server did not answer.', error)
    }
    void look()
    return () => {
      isOver = true
    }
  }, [client])
  return factors
}

/** The factors to choose from. */
function FactorList({
  factors,
  current,
  onChoose,
}: {
  readonly factors: readonly Factor[]
  readonly current: string
  readonly onChoose: (id: string) => void
}): JSX.Element {
  return (
    <ul aria-label={words.another} className="-m-2 flex flex-col">
      {factors.map(({ id, factor_type: type, friendly_name: name }) => (
        <li key={id}>
          <AriaButton
            autoFocus={id === current}
            onPress={() => onChoose(id)}
            className="focus-inset flex min-h-12 w-full items-center gap-3 rounded-md px-3 py-2 text-left transition-colors data-hovered:bg-hover data-pressed:bg-pressed"
          >
            <span className="text-muted">{ICONS[type]}</span>
            <span className="min-w-0 flex-1 truncate font-medium">{words.factorName(type, name)}</span>
            {id === current ? <Check size={16} aria-hidden className="text-accent" /> : null}
          </AriaButton>
        </li>
      ))}
    </ul>
  )
}
