import { type JSX, useCallback, useMemo, useSyncExternalStore } from 'react'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { Select } from '../../components/select.tsx'
import { canChange, changeWorkspace, useWorkspace, type Workspace } from '../../lib/records/use-workspace.ts'
import { LANGUAGES, pageLocale } from '../../lib/language.ts'
import { deviceZone } from '../../lib/time-zone.ts'
import { LANGUAGE_NAMES } from '../../messages/language.ts'
import { workspaceMessages as words } from '../../messages/workspace.ts'
import { NoRows } from '../../components/section.tsx'
import { DeletedTables } from './deleted-tables.tsx'
import { ExportTemplate } from './export-template.tsx'
import { LogoSection } from './logo-section.tsx'
import { NameSection } from './workspace-name.tsx'

/** Interval in ms between clock updates. */
const LOOK_MS = 1_000

/** Settings of the whole workspace. All members can read them; owners and admins can change them, even offline. */
export function WorkspaceScreen(): JSX.Element {
  const workspace = useWorkspace()
  return (
    <Page title={words.title} {...(workspace && { description: words.lead(workspace.name) })} width="reading">
      {workspace === null ? <NoRows>{words.none}</NoRows> : null}
      {workspace ? <Settings workspace={workspace} /> : null}
    </Page>
  )
}

function Settings({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const writer = useRecordWriter()
  const mayChange = canChange(workspace)
  const own = deviceZone()
  const timeThere = useTimeIn(workspace.timeZone)
  const zones = useZones(workspace.timeZone)
  const setZone = (timeZone: string): void => {
    if (timeZone !== workspace.timeZone) void writer.write(changeWorkspace(workspace, words.changedZone, { timeZone }))
  }
  return (
    <div className="flex flex-col gap-8">
      {mayChange ? null : <p className="text-muted">{words.onlyAdmins}</p>}
      <NameSection key={workspace.name} {...{ workspace, mayChange }} />
      <div className="flex flex-col items-start gap-2">
        <Select
          label={words.timeZone}
          className="w-full"
          options={zones}
          value={workspace.timeZone}
          isDisabled={!mayChange}
          description={words.timeZoneDetail(timeThere)}
          onChange={setZone}
        />
        {mayChange && own !== workspace.timeZone ? (
          <Button size="sm" onPress={() => setZone(own)}>
            {words.deviceZone(own)}
          </Button>
        ) : null}
      </div>
      <Select
        label={words.language}
        options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        value={workspace.language}
        isDisabled={!mayChange}
        description={words.languageDetail}
        onChange={(language) => {
          if (language !== workspace.language)
            void writer.write(changeWorkspace(workspace, words.changedLanguage, { language }))
        }}
      />
      <LogoSection {...{ workspace, mayChange }} />
      {mayChange ? <ExportTemplate workspace={workspace} /> : null}
      {mayChange ? <DeletedTables workspace={workspace} /> : null}
    </div>
  )
}

/** Returns the time zones that the browser knows, plus the current one. */
function useZones(current: string): readonly { readonly value: string; readonly label: string }[] {
  return useMemo(() => {
    const zones = new Set(['UTC', current, deviceZone(), ...Intl.supportedValuesOf('timeZone')])
    return [...zones].toSorted().map((value) => ({ value, label: value.replaceAll('_', ' ') }))
  }, [current])
}

/** Returns a zone's current time, such as `14:02`; `undefined` if the browser does not know the zone. */
function useTimeIn(timeZone: string): string | undefined {
  return useSyncExternalStore(
    subscribe,
    useCallback(() => timeIn(timeZone), [timeZone]),
  )
}

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, LOOK_MS)
  return () => clearInterval(timer)
}

function timeIn(timeZone: string): string | undefined {
  try {
    return new Date().toLocaleTimeString(pageLocale(), { hour: 'numeric', minute: '2-digit', timeZone })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
