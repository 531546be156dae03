//! Diagnostics as text, in the layout that rustc made familiar.

use crate::{Diagnostic, Report, Severity, Sources, Span};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

pub(crate) fn render(report: &Report, color: bool) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    report
        .diagnostics
        .iter()
        .chain(&rest(report))
        .map(|diagnostic| renderer.render(&groups(&report.sources, diagnostic)) + "\n")
        .collect::<Vec<_>>()
        .join("\n")
}

/// What stands for the findings that are not shown.
fn rest(report: &Report) -> Option<Diagnostic> {
    let shown = report.diagnostics.first()?;
    (report.not_shown > 0).then(|| Diagnostic {
        severity: shown.severity,
        ..Diagnostic::without_place(format!("{} more are not shown", report.not_shown))
    })
}

fn groups<'a>(sources: &'a Sources, diagnostic: &'a Diagnostic) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str());
    let mut group = Group::with_title(title);
    for snippet in snippets(sources, diagnostic) {
        group = group.element(snippet);
    }
    for hint in &diagnostic.hints {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    vec![group]
}

/// One snippet a file, the file of the diagnostic's own place first.
fn snippets<'a>(
    sources: &'a Sources,
    diagnostic: &'a Diagnostic,
) -> Vec<Snippet<'a, Annotation<'a>>> {
    let own = diagnostic
        .place
        .iter()
        .map(|(span, label)| (AnnotationKind::Primary, span, label));
    let related = diagnostic
        .related
        .iter()
        .map(|(span, label)| (AnnotationKind::Context, span, label));

    let mut by_source: Vec<(crate::SourceId, Vec<Annotation<'a>>)> = Vec::new();
    for (kind, span, label) in own.chain(related) {
        let mut annotation = kind.span(within(sources, *span));
        if !label.is_empty() {
            annotation = annotation.label(label.as_str());
        }
        match by_source.iter_mut().find(|(id, _)| *id == span.source) {
            Some((_, annotations)) => annotations.push(annotation),
            None => by_source.push((span.source, vec![annotation])),
        }
    }
    by_source
        .into_iter()
        .map(|(id, annotations)| {
            Snippet::source(sources.text(id))
                .path(sources.name(id))
                .annotations(annotations)
        })
        .collect()
}

/// The span as a byte range that the renderer accepts: inside the text, on character
/// boundaries.
fn within(sources: &Sources, span: Span) -> std::ops::Range<usize> {
    let text = sources.text(span.source);
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.ceil_char_boundary((span.end as usize).min(text.len()));
    start..end.max(start)
}
