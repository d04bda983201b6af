import { useMutation } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Button, Chip, FormDialog, PasswordField, Section, showToast, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { queryClient, SESSION_KEY } from '../../lib/query-client.ts'
import { useOperator } from '../../lib/session.ts'

/** Adds or removes the codes of an authenticator app. */
export function SecondFactor(): JSX.Element {
  const { hasSecondFactor } = useOperator()
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title="Second factor"
      description="A code of an authenticator app, asked for after the password."
      action={
        <Button size="sm" onPress={() => setOpen(true)}>
          {hasSecondFactor ? 'Remove…' : 'Add…'}
        </Button>
      }
    >
      <p>{hasSecondFactor ? <Chip colour="green">on</Chip> : <Chip colour="amber">off</Chip>}</p>
      {isOpen ? (
        hasSecondFactor ? (
          <RemoveFactor onClose={() => setOpen(false)} />
        ) : (
          <AddFactor onClose={() => setOpen(false)} />
        )
      ) : null}
    </Section>
  )
}

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: SESSION_KEY })

function RemoveFactor({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [password, setPassword] = useState('')
  const remove = useMutation({
    mutationFn: () => request('DELETE /me/second-factor', { body: { password } }),
    onSuccess: async () => {
      await refresh()
      onClose()
      showToast({ text: 'Second factor removed' })
    },
  })
  return (
    <FormDialog
      title="Remove the second factor?"
      submitLabel="Remove"
      isPending={remove.isPending}
      isDisabled={password === ''}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <PasswordField label="Password" autoFocus value={password} onChange={setPassword} />
      <FormError error={remove.error} />
    </FormDialog>
  )
}

function AddFactor({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const offer = useMutation({
    mutationFn: () =>
      request<{ secret: string; uri: string; qr: string }>('POST /me/second-factor', { body: { password } }),
  })
  const confirm = useMutation({
    mutationFn: () => request('POST /me/second-factor/confirm', { body: { code } }),
    onSuccess: async () => {
      await refresh()
      onClose()
      showToast({ text: 'Second factor added' })
    },
  })
  if (!offer.data)
    return (
      <FormDialog
        title="Add a second factor"
        submitLabel="Continue"
        isPending={offer.isPending}
        isDisabled={password === ''}
        onSubmit={() => offer.mutate()}
        onClose={onClose}
      >
        <PasswordField label="Password" autoFocus value={password} onChange={setPassword} />
        <FormError error={offer.error} />
      </FormDialog>
    )
  return (
    <FormDialog
      title="Scan this code"
      submitLabel="Add"
      isPending={confirm.isPending}
      isDisabled={code.trim().length < 6}
      onSubmit={() => confirm.mutate()}
      onClose={onClose}
    >
      <img
        alt="QR code for the authenticator app; the secret below is the same as text"
        src={`data:image/svg+xml,${encodeURIComponent(offer.data.qr)}`}
        className="size-48 self-center rounded-md bg-[#fff] p-2"
      />
      <TextField label="Secret" value={offer.data.secret} isReadOnly isMono />
      <TextField
        label="Code of the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={7}
        isMono
        value={code}
        onChange={setCode}
      />
      <FormError error={confirm.error} />
    </FormDialog>
  )
}
