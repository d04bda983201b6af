import { useMutation } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Button, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { queryClient, SESSION_KEY } from '../../lib/query-client.ts'
import { EntryFrame } from './entry-frame.tsx'

/** Asks for the second factor of a session that has passed the password. */
export function CodeForm({ projectName }: { readonly projectName: string }): JSX.Element {
  const [code, setCode] = useState('')
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: SESSION_KEY })
  const confirm = useMutation({
    mutationFn: () => request('POST /session/second-factor', { body: { code } }),
    onSuccess: refresh,
    onError: () => setCode(''),
  })
  const leave = useMutation({ mutationFn: () => request('DELETE /session'), onSuccess: refresh })
  return (
    <EntryFrame title="Second factor" projectName={projectName}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!confirm.isPending) confirm.mutate()
        }}
      >
        <TextField
          label="Code of your authenticator app"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          autoFocus
          isMono
          value={code}
          onChange={setCode}
        />
        <FormError error={confirm.error} />
        <Button type="submit" tone="primary" isPending={confirm.isPending} isDisabled={code.trim().length < 6}>
          Continue
        </Button>
        <Button tone="quiet" isPending={leave.isPending} onPress={() => leave.mutate()}>
          Use another account
        </Button>
      </form>
    </EntryFrame>
  )
}
