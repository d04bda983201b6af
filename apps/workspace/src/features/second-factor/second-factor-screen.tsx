import { useNavigate, useSearch } from '@tanstack/react-router'
import { useValue } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { secondFactorMessages as words } from '../../messages/second-factor.ts'
import type { FactorFormProps } from './factor-form-props.ts'
import { FactorList } from './factor-list.tsx'
import { KeyFactor } from './key-factor.tsx'
import { PhoneFactor } from './phone-factor.tsx'
import { RecoveryCodeFactor } from './recovery-code-factor.tsx'
import { TotpFactor } from './totp-factor.tsx'
import { useFactors } from './use-factors.ts'

/** Asks for the second factor of a person who has given the first. The data on this device can be opened without it. */
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
