/** Packages that a worker can do without, loaded when an option asks for them. */
import { PragauraError } from '../../common/index.ts';

/** Loads what an option needs; throws CONFIGURATION, naming the packages to install, when one is missing. */
export async function loadPeer<T>(
  option: string,
  packages: readonly string[],
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException)?.code;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    const names = packages.join(' ');
    throw new PragauraError(
      'CONFIGURATION',
      `${option} needs ${packages.join(' and ')}, not installed here.`,
      {
        hint: `Install it beside pragaura (npm install ${names}), or leave ${option} out.`,
        cause: error,
      },
    );
  }
}
