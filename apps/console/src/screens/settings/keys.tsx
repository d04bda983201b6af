import { useMutation, useQuery } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { KeyList, ListedApiKey } from '@holdfast/protocol'
import { Button, Chip, copyText, FormDialog, PasswordField, Row, Rows, Section } from '@holdfast/workspace'
import { CopyLink } from '../../components/copy-link.tsx'
import { FormError } from '../../components/form-error.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { request } from '../../lib/api.ts'
import { useHasRole } from '../../lib/session.ts'
import { SigningKeys } from './signing-keys.tsx'

/** Keys of the APIs, and keys that sign sessions. */
export function Keys(): JSX.Element {
  const list = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => request<KeyList>('GET /keys', { signal }),
  })
  return (
    <QueryState query={list} rows={8}>
      {({ api, signing, secretPlace, isSecretGenerated, tokenSeconds }) => (
        <div className="flex flex-col gap-8">
          <ApiKeys keys={api} />
          <SigningKeys keys={signing} tokenSeconds={tokenSeconds} />
          <ReplaceSecret place={secretPlace} isFile={isSecretGenerated} />
        </div>
      )}
    </QueryState>
  )
}

function ApiKeys({ keys }: { readonly keys: readonly ListedApiKey[] }): JSX.Element {
  const isOwner = useHasRole('owner')
  const [revealed, setRevealed] = useState<ListedApiKey | undefined>()
  return (
    <Section
      title="API keys"
      description="Apps contain the publishable or anon key, and row-level security limits what it reaches. The secret and service_role keys pass row-level security: keep them on servers."
    >
      <Rows label="API keys">
        {keys.map((key) => (
          <Row
            key={key.name}
            title={key.name}
            mark={key.isPublic ? <Chip colour="green">public</Chip> : <Chip colour="coral">all rights</Chip>}
            actions={
              key.isPublic ? (
                <Button size="sm" onPress={() => void copyText(key.shown, 'Copied')}>
                  Copy {key.name}
                </Button>
              ) : isOwner ? (
                <Button size="sm" onPress={() => setRevealed(key)}>
                  Show {key.name}…
                </Button>
              ) : null
            }
          >
            <span className="font-mono text-mono">{key.shown}</span>
          </Row>
        ))}
      </Rows>
      {revealed ? <RevealKey apiKey={revealed} onClose={() => setRevealed(undefined)} /> : null}
    </Section>
  )
}

function RevealKey({
  apiKey: { name },
  onClose,
}: {
  readonly apiKey: ListedApiKey
  readonly onClose: () => void
}): JSX.Element {
  const [password, setPassword] = useState('')
  const reveal = useMutation({
    mutationFn: () => request<{ readonly key: string }>(`POST /keys/${name}/reveal`, { body: { password } }),
    // Kept no longer than the dialog.
    gcTime: 0,
  })
  return (
    <FormDialog
      title={`Show the ${name} key`}
      submitLabel={reveal.data ? 'Done' : 'Show'}
      closeLabel={reveal.data ? 'Close' : 'Cancel'}
      isPending={reveal.isPending}
      isDisabled={password === ''}
      onSubmit={() => (reveal.data ? onClose() : reveal.mutate())}
      onClose={onClose}
    >
      {reveal.data ? (
        <CopyLink link={reveal.data.key} label={`${name} key`}>
          This key reads and changes every row and account. The audit log names you.
        </CopyLink>
      ) : (
        <div className="flex flex-col gap-3">
          <PasswordField label="Your password" autoFocus value={password} onChange={setPassword} />
          <FormError error={reveal.error} />
        </div>
      )}
    </FormDialog>
  )
}

function ReplaceSecret({ place, isFile }: { readonly place: string; readonly isFile: boolean }): JSX.Element {
  return (
    <Section
      title="Replace a leaked API key"
      description={
        <>
          All API keys and the S3 key pair are derived from one secret,{' '}
          {isFile ? 'which lies in the data folder' : 'which is set by'}{' '}
          <span className="font-mono text-mono [overflow-wrap:anywhere]">{place}</span>. None can be revoked alone. With
          another secret the old keys get 401 at once: apps cannot reach the server until they have the new ones. Signed
          URLs of files end, secrets of custom providers have to be set again, and operators of this console need{' '}
          <span className="font-mono text-mono">holdfast console recover</span>. Sessions of users continue.
        </>
      }
    >
      <TextBlock label="Commands">
        {isFile
          ? `holdfast stop\nmv ${place} ${place}.leaked\nholdfast start`
          : `holdfast stop\nHOLDFAST_JWT_SECRET=$(openssl rand -base64 48)   # where it is set now\nholdfast start`}
      </TextBlock>
      <p>
        <a href="/docs/guides/rotate-signing-keys.html" className="text-accent underline">
          What changes, and what does not
        </a>
      </p>
    </Section>
  )
}
