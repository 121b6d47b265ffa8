/** Who may read what of the demo documents: staff everything, everybody else the handbook. Tests only. */
import { type Access, labelsFrom, parsePolicy } from '../../governance/index.ts';

export const isOpen = ({ docId }: { docId: string }) => docId.startsWith('documents/handbook/');

/** `open`: what everybody may read. */
export function demoAccess(open = 'documents/handbook/'): Access {
  return {
    policy: parsePolicy(
      `permit (principal, action == Action::"read", resource is Document) when { resource.tags.contains("open") };
       permit (principal in Role::"staff", action == Action::"read", resource is Document);`,
      'policy.cedar',
    ),
    labels: labelsFrom(
      { schema: 'pragaura.labels/1', documents: { [open]: { tags: ['open'] } } },
      'labels.json',
    ),
  };
}
