/** yargs by one door: the build puts all of it into this one file, because reading its forty took a third of the start. */
export { default } from 'yargs';
