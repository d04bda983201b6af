import type { Setting, SettingList } from '@holdfast/protocol'
import { hasRole } from '../operators/require-operator.ts'
import { route, type Route } from '../routing/route.ts'
import { maskSetting } from '../settings/mask-setting.ts'

export interface SettingSources {
  /** Lists every option of the server, without secrets. */
  listSettings(): readonly Setting[]
  /** The file that may set them. */
  readonly configFile: string
}

/** The options of the server, which are changed where they are set. */
export function settingRoutes({ listSettings, configFile }: SettingSources): readonly Route[] {
  return [
    route('GET /settings', {
      access: 'viewer',
      run: async ({ session }): Promise<SettingList> => {
        const settings = listSettings()
        return { configFile, settings: hasRole(session, 'developer') ? settings : settings.map(maskSetting) }
      },
    }),
  ]
}
