import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { type JSX, useState } from 'react'
import { FUNCTION_METHODS, type FunctionCall, type FunctionCaller, type FunctionCallOutcome } from '@holdfast/protocol'
import { Button, Notice, Section, Select, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { UserField } from '../../components/user-field.tsx'
import { request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { CallOutcome } from './call-outcome.tsx'
import { readHeaders } from './read-headers.ts'
import { FUNCTIONS_KEY } from './use-functions.ts'

/** The server gives a function up after a minute. */
const TIMEOUT_MS = 70_000

const CALLERS = [
  { value: 'anon', label: 'A visitor (anon)' },
  { value: 'user', label: 'A user' },
  { value: 'service', label: 'The service key' },
]

interface Draft {
  readonly method: FunctionCall['method']
  readonly path: string
  readonly kind: string
  readonly user: string
  readonly headers: string
  readonly body: string
}

const FIRST: Draft = { method: 'POST', path: '', kind: 'anon', user: '', headers: '', body: '{}' }

/** Calls the function as its clients do, and shows the response. */
export function CallFunction({ name }: { readonly name: string }): JSX.Element {
  const [draft, setDraft] = useState(FIRST)
  const [problem, setProblem] = useState<string>()
  const call = useMutation({
    mutationFn: (body: FunctionCall) =>
      request<FunctionCallOutcome>(`POST /functions/${encodeURIComponent(name)}/call`, { body, timeoutMs: TIMEOUT_MS }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: FUNCTIONS_KEY }),
  })
  const send = (): void => {
    try {
      setProblem(undefined)
      call.mutate(callOf(draft))
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <Section title="Call" description="Every call is in the audit log, without header values and body.">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <CallFields name={name} draft={draft} onChange={(change) => setDraft((before) => ({ ...before, ...change }))} />
        <Button
          type="submit"
          tone="primary"
          icon={<Send size={14} aria-hidden />}
          isPending={call.isPending}
          className="self-start"
        >
          Send
        </Button>
      </form>
      {problem === undefined ? null : <Notice tone="danger" role="alert" title={problem} />}
      <FormError error={call.error} />
      {call.data ? <CallOutcome outcome={call.data} /> : null}
    </Section>
  )
}

function CallFields({
  name,
  draft: { method, path, kind, user, headers, body },
  onChange: set,
}: {
  readonly name: string
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
}): JSX.Element {
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label="Method"
          options={FUNCTION_METHODS.map((value) => ({ value, label: value }))}
          value={method}
          onChange={(value) => set({ method: value as Draft['method'] })}
          className="w-32"
        />
        <TextField
          label={`Path after /${name}`}
          value={path}
          onChange={(value) => set({ path: value })}
          placeholder="/path?name=value"
          isMono
          spellCheck={false}
          className="min-w-52 flex-1"
        />
        <Select label="As" options={CALLERS} value={kind} onChange={(value) => set({ kind: value })} className="w-48" />
        {kind === 'user' ? (
          <UserField value={user} onChange={(value) => set({ user: value })} className="w-72 max-w-full" />
        ) : null}
      </div>
      <div className="grid grid-cols-1 gap-3 laptop:grid-cols-2">
        <TextField
          label="Headers"
          description="One a line. The key of the caller is sent unless you name apikey or authorization."
          value={headers}
          onChange={(value) => set({ headers: value })}
          placeholder="Name: value"
          rows={4}
          isMono
          spellCheck={false}
        />
        <TextField
          label="Body"
          description={method === 'GET' ? 'A GET request has no body.' : 'JSON unless you name a content-type.'}
          value={method === 'GET' ? '' : body}
          onChange={(value) => set({ body: value })}
          rows={4}
          isMono
          spellCheck={false}
          isDisabled={method === 'GET'}
        />
      </div>
    </>
  )
}

/** @throws {Error} naming what cannot be sent */
function callOf({ method, path, kind, user, headers, body }: Draft): FunctionCall {
  if (kind === 'user' && user.trim() === '') throw new Error('Choose the user.')
  const as: FunctionCaller = kind === 'user' ? { kind, id: user.trim() } : { kind: kind === 'service' ? kind : 'anon' }
  const given = readHeaders(headers)
  const hasBody = method !== 'GET' && body !== ''
  const isTyped = given.some(({ name }) => name.toLowerCase() === 'content-type')
  return {
    method,
    path: path === '' || /^[/?]/.test(path) ? path : `/${path}`,
    as,
    headers: hasBody && !isTyped ? [...given, { name: 'content-type', value: 'application/json' }] : given,
    ...(hasBody && { body }),
  }
}
