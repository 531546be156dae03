//! `.decl`, `.type` and the other directives.

use super::{Failed, Parsed, Parser};
use crate::suggest::closest;
use crate::syntax::{
    ColumnDeclaration, ConflictDeclaration, Item, Name, Qualifier, RelationDeclaration,
    TypeDeclaration,
};
use crate::token::TokenKind;
use heddle_diagnostics::{Diagnostic, Span};

const DIRECTIVES: [&str; 6] = ["type", "decl", "input", "output", "include", "conflict"];

/// Directives of Soufflé that have no counterpart here.
const SOUFFLE_ONLY: [(&str, &str); 10] = [
    ("comp", "components are not supported; use `.include`"),
    ("init", "components are not supported; use `.include`"),
    ("override", "components are not supported; use `.include`"),
    ("functor", "user-defined functors are not supported"),
    ("limitsize", "sizes cannot be limited"),
    ("printsize", "write `.output` and count the tuples"),
    (
        "plan",
        "the engine chooses the join order; atoms keep theirs",
    ),
    ("pragma", "options are given on the command line"),
    ("number_type", "write `.type Name <: number`"),
    ("symbol_type", "write `.type Name <: symbol`"),
];

pub(super) fn is_known(name: &str) -> bool {
    DIRECTIVES.contains(&name) || SOUFFLE_ONLY.iter().any(|(other, _)| *other == name)
}

impl Parser<'_> {
    /// The name of the directive that starts here: a `.` and right behind it a word. A
    /// word that is no directive only counts if the `.` cannot be the end of a rule.
    pub(super) fn directive_name(&self) -> Option<Name> {
        self.directive_name_at(self.position)
    }

    fn directive_name_at(&self, position: usize) -> Option<Name> {
        let dot = *self.tokens.get(position)?;
        let word = *self.tokens.get(position + 1)?;
        if dot.kind != TokenKind::Dot
            || word.kind != TokenKind::Name
            || dot.span.end != word.span.start
        {
            return None;
        }
        let text = self.snippet(word);
        let before = position.checked_sub(1).map(|before| self.tokens[before]);
        let apart = before.is_none_or(|before| before.span.end != dot.span.start);
        (is_known(text) || apart).then(|| Name {
            text: text.to_string(),
            span: dot.span.to(word.span),
        })
    }

    pub(super) fn directive(&mut self, directive: Name, annotation: Option<Name>) -> Parsed<()> {
        self.advance();
        self.advance();
        match annotation {
            Some(name) if directive.text != "conflict" => {
                self.diagnostics.push(
                    Diagnostic::error(name.span, "only a rule or a `.conflict` has a name")
                        .label("this name")
                        .related(directive.span, "stands before this"),
                );
            }
            Some(name) => return self.conflict(Some(name), directive.span),
            None => {}
        }
        match directive.text.as_str() {
            "type" => self.type_declaration(),
            "decl" => self.relation_declaration(),
            "input" => {
                let names =
                    self.relation_names("facts are read from the folder given by `--facts`")?;
                self.items.push(Item::Input(names));
                Ok(())
            }
            "output" => {
                let names =
                    self.relation_names("tuples are written to the folder given by `--out`")?;
                self.items.push(Item::Output(names));
                Ok(())
            }
            "include" => {
                let file = self.string("a file name in quotes")?;
                self.items.push(Item::Include(file));
                Ok(())
            }
            "conflict" => self.conflict(None, directive.span),
            unknown => Err(self.unknown_directive(unknown, directive.span)),
        }
    }

    fn unknown_directive(&mut self, name: &str, span: Span) -> Failed {
        if let Some((_, hint)) = SOUFFLE_ONLY.iter().find(|(other, _)| *other == name) {
            let message = format!("Soufflé's `.{name}` is not supported");
            return self.fail(Diagnostic::error(span, message).hint(*hint));
        }
        let error = Diagnostic::error(span, format!("unknown directive `.{name}`"));
        let hint = match closest(name, DIRECTIVES) {
            Some(similar) => format!("did you mean `.{similar}`?"),
            None => format!("the directives are .{}", DIRECTIVES.join(" .")),
        };
        self.fail(error.hint(hint))
    }

    /// `.type Event <: symbol`
    fn type_declaration(&mut self) -> Parsed<()> {
        let name = self.name("the type's name")?;
        match self.type_parent(&name) {
            Ok(parent) => {
                self.items
                    .push(Item::Type(TypeDeclaration { name, parent }));
                Ok(())
            }
            Err(failed) => {
                self.items.push(Item::BrokenType(name));
                Err(failed)
            }
        }
    }

    fn type_parent(&mut self, name: &Name) -> Parsed<Name> {
        if !self.eat(TokenKind::Subtype) {
            let hint = format!(
                "write `.type {} <: symbol` or `.type {0} <: number`; \
                 unions and records are not supported",
                name.text
            );
            return Err(self.unexpected_with_hint("`<:`", Some(&hint)));
        }
        self.name("the type that it is a part of")
    }

    /// `.decl lt(a: Event, b: Event) order(event, executed)`; several names share columns.
    fn relation_declaration(&mut self) -> Parsed<()> {
        let mut names = vec![self.name("the relation's name")?];
        while self.eat(TokenKind::Comma) {
            names.push(self.name("the relation's name")?);
        }
        let rest = self
            .columns()
            .and_then(|columns| Ok((columns, self.qualifier()?)));
        match rest {
            Ok((columns, qualifier)) => {
                for name in names {
                    self.items.push(Item::Relation(RelationDeclaration {
                        name,
                        columns: columns.clone(),
                        qualifier: qualifier.clone(),
                    }));
                }
                Ok(())
            }
            Err(failed) => {
                self.items
                    .extend(names.into_iter().map(Item::BrokenRelation));
                Err(failed)
            }
        }
    }

    fn columns(&mut self) -> Parsed<Vec<ColumnDeclaration>> {
        self.expect(TokenKind::Open, "`(`")?;
        let mut columns = Vec::new();
        if self.eat(TokenKind::Close) {
            return Ok(columns);
        }
        loop {
            let name = self.name("a column's name")?;
            if !self.eat(TokenKind::Colon) {
                let hint = format!("a column has a type, such as `{}: symbol`", name.text);
                return Err(self.unexpected_with_hint("`:`", Some(&hint)));
            }
            let type_name = self.name("a type")?;
            columns.push(ColumnDeclaration { name, type_name });
            if self.eat(TokenKind::Close) {
                return Ok(columns);
            }
            self.expect(TokenKind::Comma, "`,` or `)`")?;
        }
    }

    fn qualifier(&mut self) -> Parsed<Option<Qualifier>> {
        let mut found: Option<(Qualifier, Span)> = None;
        while self.kind() == TokenKind::Name && !self.at_next_rule() {
            let word = self.name("`choice` or `order`")?;
            let qualifier = match word.text.as_str() {
                "choice" => {
                    self.refuse_choice_domain(word.span)?;
                    Qualifier::Choice
                }
                "order" => self.order(word.span)?,
                other => {
                    let message = format!("unknown qualifier `{other}`");
                    return Err(self.fail(
                        Diagnostic::error(word.span, message)
                            .hint("a relation may be `choice` or `order(event, executed)`"),
                    ));
                }
            };
            let span = word.span.to(self.previous().span);
            if let Some((_, first)) = &found {
                let error = Diagnostic::error(span, "a relation has at most one qualifier")
                    .related(*first, "the first one");
                return Err(self.fail(error));
            }
            found = Some((qualifier, span));
        }
        Ok(found.map(|(qualifier, _)| qualifier))
    }

    /// Whether a rule starts at this name: it begins the line or is the head of a rule, and is no
    /// qualifier that the declaration goes on with.
    fn at_next_rule(&self) -> bool {
        let word = self.current().span.range();
        let is_qualifier = ["choice", "order"].contains(&&self.text[word]);
        self.in_first_column(self.position)
            || !is_qualifier && (self.begins_line(self.position) || self.at_head())
    }

    /// Whether an atom stands here, and behind it what can follow a head.
    fn at_head(&self) -> bool {
        if !self.at_atom(self.position) {
            return false;
        }
        let after = self.matching_close(self.position + 1) + 1;
        match self.kind_at(after) {
            TokenKind::If | TokenKind::Comma => true,
            TokenKind::Dot => self.directive_name_at(after).is_none(),
            _ => false,
        }
    }

    fn refuse_choice_domain(&mut self, span: Span) -> Parsed<()> {
        let next = self.kind_at(self.position + 1);
        if self.kind() != TokenKind::Minus || next != TokenKind::Name {
            return Ok(());
        }
        let end = self.tokens[self.position + 1].span;
        Err(self.fail(
            Diagnostic::error(span.to(end), "Soufflé's `choice-domain` is not supported")
                .hint("`choice` here means that each tuple carries a solver literal"),
        ))
    }

    /// The rest of `order(event, executed)`.
    fn order(&mut self, start: Span) -> Parsed<Qualifier> {
        self.expect(
            TokenKind::Open,
            "`(` and the relation with each event's chain and index",
        )?;
        let event = self.name("the relation with each event's chain and index")?;
        let executed = match self.eat(TokenKind::Comma) {
            true => Some(self.name("the relation with the executed events")?),
            false => None,
        };
        let end = self.expect(TokenKind::Close, "`)`")?;
        Ok(Qualifier::Order {
            event,
            executed,
            span: start.to(end.span),
        })
    }

    /// `a, b` after `.input` or `.output`.
    fn relation_names(&mut self, hint: &str) -> Parsed<Vec<Name>> {
        let mut names = Vec::new();
        loop {
            let name = self.name("a relation's name")?;
            if self.kind() == TokenKind::Open {
                let close = self.matching_close(self.position);
                let end = self.tokens[close].span;
                self.diagnostics.push(
                    Diagnostic::error(
                        self.current().span.to(end),
                        "parameters of `.input` and `.output` are not supported",
                    )
                    .hint(hint),
                );
                self.position = close;
                self.eat(TokenKind::Close);
            }
            names.push(name);
            if !self.eat(TokenKind::Comma) {
                return Ok(names);
            }
        }
    }

    /// `.conflict lt(e, e)`, whose final `.` may be left out at the end of a line.
    fn conflict(&mut self, name: Option<Name>, start: Span) -> Parsed<()> {
        let body = self.disjunction()?;
        let ends_here = self.directive_name().is_some()
            || self.kind() == TokenKind::End
            || self.starts_line(self.position);
        let ended = self.directive_name().is_none() && self.eat(TokenKind::Dot);
        if !ended && !ends_here {
            return Err(self.unexpected("`,`, `;`, `.` or the end of the line"));
        }
        self.items.push(Item::Conflict(ConflictDeclaration {
            name,
            span: start.to(body.span()),
            body,
        }));
        Ok(())
    }
}
