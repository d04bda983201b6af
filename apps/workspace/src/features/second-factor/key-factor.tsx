import { KeyRound } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { Notice } from '../../components/notice.tsx'
import { textLinkClass } from '../../components/text-link.tsx'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { webAuthnSupportHere } from '../../lib/webauthn-support.ts'
import { errorMessages } from '../../messages/errors.ts'
import { secondFactorMessages as words } from '../../messages/second-factor.ts'
import type { FactorFormProps } from './factor-form-props.ts'

/** Verifies a security key or this device, through the browser's dialog. */
export function KeyFactor({ factor, isOnline, onConfirmed }: FactorFormProps): JSX.Element {
  const { config, client } = useBackend()
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<AuthFailure>()
  const support = webAuthnSupportHere()

  const confirm = async (): Promise<void> => {
    setPending(true)
    setFailure(undefined)
    try {
      const { error } = await client.supabase.auth.mfa.webauthn.authenticate({ factorId: factor.id })
      if (error) throw error
      await onConfirmed()
    } catch (error) {
      setFailure(classifyAuthError(error, config.project.name))
    } finally {
      setPending(false)
    }
  }
  if (support.kind !== 'yes') {
    const link = support.kind === 'ip_address' ? support.link : undefined
    return (
      <Notice tone="warning" title={errorMessages.passkeyPlace}>
        {link === undefined ? undefined : (
          <a href={link} className={textLinkClass}>
            {words.openNamed(new URL(link).host)}
          </a>
        )}
      </Notice>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      <p className="text-body text-muted">{words.keyDetail}</p>
      <FormFailure failure={failure} />
      <Button
        tone="primary"
        isFullWidth
        autoFocus
        icon={<KeyRound size={18} aria-hidden />}
        isPending={isPending}
        onPress={() => {
          if (isOnline) void confirm()
        }}
        {...(isOnline ? {} : { 'aria-disabled': true })}
      >
        {words.confirmWithKey}
      </Button>
    </div>
  )
}
