import { useMutation } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { SigningKey } from '@holdfast/protocol'
import {
  Button,
  Checkbox,
  Chip,
  FormDialog,
  PasswordField,
  Row,
  Rows,
  Section,
  Select,
  showToast,
} from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { request } from '../../lib/api.ts'
import { formatDuration } from '../../lib/format.ts'
import { queryClient } from '../../lib/query-client.ts'
import { useHasRole } from '../../lib/session.ts'

const STATES: Readonly<
  Record<
    SigningKey['status'],
    { readonly text: string; readonly colour: 'green' | 'blue' | 'amber' | 'slate'; readonly meaning: string }
  >
> = {
  standby: { text: 'standby', colour: 'blue', meaning: 'published, signs nothing yet' },
  current: { text: 'in use', colour: 'green', meaning: 'signs new tokens' },
  previous: { text: 'previously used', colour: 'amber', meaning: 'its tokens are still accepted' },
  revoked: { text: 'revoked', colour: 'slate', meaning: 'its tokens are refused' },
}

type Step = 'add' | 'rotate' | 'revoke'

/** Keys that sign sessions, and the steps from one to the next. */
export function SigningKeys({
  keys,
  tokenSeconds,
}: {
  readonly keys: readonly SigningKey[]
  readonly tokenSeconds: number
}): JSX.Element {
  const isOwner = useHasRole('owner')
  const [open, setOpen] = useState<{ readonly step: Step; readonly key?: SigningKey } | undefined>()
  const close = (): void => setOpen(undefined)
  return (
    <Section
      title="Signing keys"
      description={`They sign the sessions of users. Add one, rotate to it twenty minutes later, and revoke the previous one ${formatDuration(tokenSeconds)} after that: nobody is signed out.`}
      action={isOwner ? <Button onPress={() => setOpen({ step: 'add' })}>Add standby key…</Button> : undefined}
    >
      <Rows label="Signing keys">
        {keys.map((key) => {
          const { kid, algorithm, status, createdAt, updatedAt } = key
          const { text, colour, meaning } = STATES[status]
          return (
            <Row
              key={kid}
              title={<span className="font-mono text-mono">{kid}</span>}
              mark={<Chip colour={colour}>{text}</Chip>}
              actions={
                isOwner ? (
                  <>
                    {status === 'standby' ? (
                      <Button size="sm" onPress={() => setOpen({ step: 'rotate', key })}>
                        Rotate to it…
                      </Button>
                    ) : null}
                    {status === 'standby' || status === 'previous' ? (
                      <Button size="sm" tone="danger" onPress={() => setOpen({ step: 'revoke', key })}>
                        Revoke…
                      </Button>
                    ) : null}
                  </>
                ) : null
              }
            >
              {algorithm} · {meaning} · created <TimeAgo at={createdAt} />
              {updatedAt === createdAt ? null : (
                <>
                  , changed <TimeAgo at={updatedAt} />
                </>
              )}
            </Row>
          )
        })}
      </Rows>
      {open?.step === 'add' ? <AddKey onClose={close} /> : null}
      {open?.step === 'rotate' && open.key ? <RotateKey kid={open.key.kid} onClose={close} /> : null}
      {open?.step === 'revoke' && open.key ? (
        <RevokeKey signingKey={open.key} tokenSeconds={tokenSeconds} onClose={close} />
      ) : null}
    </Section>
  )
}

function useStep(done: string, onClose: () => void) {
  return useMutation({
    mutationFn: ({ target, body }: { readonly target: string; readonly body: unknown }) => request(target, { body }),
    onSuccess: async () => {
      showToast({ text: done })
      await queryClient.invalidateQueries({ queryKey: ['keys'] })
      onClose()
    },
  })
}

function AddKey({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [algorithm, setAlgorithm] = useState('ES256')
  const add = useStep('The key is published. Rotate to it in twenty minutes.', onClose)
  return (
    <FormDialog
      title="Add a standby key"
      submitLabel="Add"
      isPending={add.isPending}
      onSubmit={() => add.mutate({ target: 'POST /signing-keys', body: { algorithm } })}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <p>The key is published so that everybody who verifies tokens learns it. It signs nothing before you rotate.</p>
        <Select
          label="Algorithm"
          options={[
            { value: 'ES256', label: 'ES256 (elliptic curve, short tokens)' },
            { value: 'RS256', label: 'RS256 (RSA, for old verifiers)' },
          ]}
          value={algorithm}
          onChange={setAlgorithm}
        />
        <FormError error={add.error} />
      </div>
    </FormDialog>
  )
}

function RotateKey({ kid, onClose }: { readonly kid: string; readonly onClose: () => void }): JSX.Element {
  const [isAtOnce, setAtOnce] = useState(false)
  const rotate = useStep('New tokens are signed with the key.', onClose)
  return (
    <FormDialog
      title="Rotate to this key?"
      submitLabel="Rotate"
      isPending={rotate.isPending}
      onSubmit={() =>
        rotate.mutate({ target: `POST /signing-keys/${encodeURIComponent(kid)}/rotate`, body: { isAtOnce } })
      }
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <p>New tokens are signed with it. Tokens of the key in use now stay valid until you revoke that key.</p>
        <Checkbox isSelected={isAtOnce} onChange={setAtOnce}>
          Do not wait until verifiers know the key
        </Checkbox>
        <p className="text-small text-muted">
          Within twenty minutes of adding a key, servers that verify tokens themselves may refuse its tokens until they
          fetch the keys again. Do so only if the key in use has leaked.
        </p>
        <FormError error={rotate.error} />
      </div>
    </FormDialog>
  )
}

function RevokeKey({
  signingKey: { kid, status },
  tokenSeconds,
  onClose,
}: {
  readonly signingKey: SigningKey
  readonly tokenSeconds: number
  readonly onClose: () => void
}): JSX.Element {
  const [password, setPassword] = useState('')
  const revoke = useStep('The key is revoked.', onClose)
  return (
    <FormDialog
      title="Revoke this key?"
      submitLabel="Revoke"
      isPending={revoke.isPending}
      isDisabled={password === ''}
      onSubmit={() => revoke.mutate({ target: `DELETE /signing-keys/${encodeURIComponent(kid)}`, body: { password } })}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <p>
          {status === 'standby'
            ? 'The key has signed nothing, so no session ends. It cannot be used again.'
            : `Tokens that it signed are refused at once, and their streams end. Apps get new ones with their refresh tokens; ${formatDuration(tokenSeconds)} after the rotation none are left. This cannot be undone.`}
        </p>
        <PasswordField label="Your password" autoFocus value={password} onChange={setPassword} />
        <FormError error={revoke.error} />
      </div>
    </FormDialog>
  )
}
